// Commands as children of an event loop: started in a session of their own with pipes or a terminal, signalled as a
// group, hung up when nobody wants them any more, and reaped without touching other children of this process.
#pragma once

#include <sys/types.h>

#include <asio/io_context.hpp>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"
#include "forward/local_file.h"

namespace plumb {

struct ChildRequest {
  std::string program;                   ///< a path
  std::vector<std::string> arguments;    ///< argv, [0] included
  std::vector<std::string> environment;  ///< "NAME=value": all of it
  std::string folder;                    ///< where it starts; "/" if it cannot be entered
  std::string terminal;                  ///< path of the terminal to control it; empty: three pipes
};

/// How a child ended.
struct ChildEnd {
  bool known = false;  ///< false: somebody else took its status, and the rest says nothing
  int status = 0;      ///< if `signal` is 0
  int signal = 0;
  bool core_dumped = false;
};

class ChildProcess {
 public:
  /// Starts the program. Nothing that is open here is open there but its standard files, signals are as they are by
  /// default, and its process group bears its process id. `on_end` is called once from the event loop when it has
  /// ended, unless the object is gone. kSystem with the reason.
  static Result<std::unique_ptr<ChildProcess>> start(asio::io_context& io, const ChildRequest& request,
                                                     std::function<void(const ChildEnd&)> on_end);

  /// Hangs up a child that still runs; it is reaped when it ends, as long as the event loop runs.
  ~ChildProcess();
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  /// Our ends of its pipes, each once; null with a terminal.
  std::unique_ptr<LocalFile> take_input() { return std::move(input_); }
  std::unique_ptr<LocalFile> take_output() { return std::move(output_); }
  std::unique_ptr<LocalFile> take_error() { return std::move(error_); }

  pid_t id() const;

  /// To its process group, unless it has ended.
  void send_signal(int signal);

 private:
  struct Watch;
  ChildProcess() = default;
  static void await_end(const std::shared_ptr<Watch>& watch);

  std::shared_ptr<Watch> watch_;
  std::unique_ptr<LocalFile> input_, output_, error_;
};

/// The number of a signal by its name without "SIG" (RFC 4254 §6.10); 0 if unknown.
int signal_number(std::string_view name);

/// "TERM"; of those that the RFC does not name, "SIGnn@plumbline" in the form of local names (RFC 4250 §4.6.1).
std::string signal_name(int number);

}  // namespace plumb
