// `plumb serve` as a program on a free port of 127.0.0.1, with keys of its own, and the clients that judge it.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "interop/subprocess.h"

namespace plumb::testing {

struct ServeSetup {
  std::vector<std::string> arguments{};  ///< of plumb serve: {"-o", "MaxSessions=2"}
  std::string key_options{};             ///< before the client's key in authorized_keys: "restrict"
  std::vector<std::string> launcher{};   ///< before all that: {"prlimit", "--fsize=1000000"}
  std::string host_key_type = "ed25519";
  std::string host_key_bits = "";  ///< of RSA
};

class ServeProcess {
 public:
  /// Waits until it listens. Null, with a failed expectation, if it does not.
  static std::unique_ptr<ServeProcess> start(const ServeSetup& setup = {});

  /// Ends it by SIGTERM unless that was done.
  ~ServeProcess();
  ServeProcess(const ServeProcess&) = delete;
  ServeProcess& operator=(const ServeProcess&) = delete;

  uint16_t port() const { return port_; }
  pid_t id() const { return id_; }
  const std::filesystem::path& folder() const { return folder_; }

  /// What bash makes of `script` in the folder. There, $SSH is an ssh with its options and the destination last;
  /// $OPTIONS its options alone; $AT the destination; $PLUMB a plumb exec.
  ProgramResult bash(const std::string& script, std::chrono::milliseconds timeout = std::chrono::seconds(60)) const;

  std::string log() const;

  /// Whether a line comes in which the ECMAScript expression `pattern` matches somewhere, within ten seconds.
  bool logs(const std::string& pattern) const;

  /// Sends `signal` and waits for the end: the exit code, or 128 + signal.
  int end(int signal);

  static std::string user();

 private:
  ServeProcess() = default;
  std::filesystem::path folder_;
  uint16_t port_ = 0;
  pid_t id_ = -1;
};

/// Runs a program without input.
ProgramResult run_words(std::vector<std::string> argv);

/// "gone" once no process has `word` for its argv[0] any more, "there" if that takes more than five seconds.
std::string process_with(const std::string& word);

}  // namespace plumb::testing
