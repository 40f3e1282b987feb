// The file commands of `plumb` in front of a server, in a folder for both sides, and suites of their tests.
#pragma once

#include <chrono>
#include <string>

#include "interop/private_server.h"
#include "interop/subprocess.h"
#include "tests/interop/suite_sshd.h"

namespace plumb::testing {

/// What bash makes of `script` in the server's folder. There, `p get` is `plumb get` with its options, and so are the
/// others; `batch` is `plumb sftp` with the destination behind; $AT is "user@host:" and the folder, and a name follows;
/// $P is the port and $O the options, so that a script can go another way. `tree DIR` lists every file below it with
/// type, mode, time and content; `noise SIZE FILE` makes one.
ProgramResult run_file_script(const PrivateServer& server, const std::string& script,
                              std::chrono::milliseconds timeout = std::chrono::seconds(100));

/// A suite with an sshd of its own, whose folder begins each test with empty folders `here` and `there`.
template <class Suite>
class FileSuite : public SuiteSshd<Suite> {
 public:
  static SshdOptions sshd_options() {
    SshdOptions options;
    options.log_level = "INFO";
    return options;
  }

 protected:
  void set_up() override { bash("rm -rf here there back; mkdir here there"); }
  static ProgramResult bash(const std::string& script, std::chrono::milliseconds timeout = std::chrono::seconds(100)) {
    return run_file_script(*SuiteSshd<Suite>::sshd_, script, timeout);
  }
};

}  // namespace plumb::testing
