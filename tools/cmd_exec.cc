#include "tools/cmd_exec.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <memory>

#include "forward/exec_client.h"
#include "tools/client_login.h"
#include "tools/program.h"

namespace plumb {
namespace {

constexpr const char* kExamples =
    "  plumb exec alice@example.org uname -a                    run a command\n"
    "  plumb exec -p 2222 -i key root@10.0.0.5 'tar cz /etc' > etc.tgz\n"
    "  plumb exec alice@example.org 'cat > notes' < notes       send a file\n"
    "  plumb exec -c aes128-gcm@openssh.com -v host true        see what is negotiated\n"
    "  plumb exec -o StrictHostKeyChecking=accept-new host true first contact";

/// CLI11 knows nothing of the words behind the destination.
class ExecHelp final : public CLI::Formatter {
 public:
  ExecHelp() { column_width(32); }
  std::string make_usage(const CLI::App*, std::string) const override {
    return "Usage: plumb exec [OPTIONS] [user@]host[:port] COMMAND...\n";
  }
};

/// More than a process can exit with is no success.
int status_code(const ExecOutcome& outcome) {
  return outcome.exited && outcome.exit_status <= 255 ? static_cast<int>(outcome.exit_status) : kConnectionError;
}

int report(const ExecOutcome& outcome, const ClientLogin& login) {
  if (outcome.stage == ExecOutcome::Stage::kDone) {
    if (!outcome.exit_signal.empty())
      return complain(kConnectionError, "the command was ended by the signal " + outcome.exit_signal);
    if (!outcome.exited) return complain(kConnectionError, "the server ended the session without an exit status");
    return status_code(outcome);
  }
  // Whoever reads our output has gone away knowingly (`| head -1`): ssh says nothing either.
  if (outcome.error.os_error == EPIPE && outcome.stage == ExecOutcome::Stage::kSession) return status_code(outcome);
  return complain(kConnectionError, login.explain(outcome));
}

}  // namespace

ExecCommand::ExecCommand(CLI::App& app) : command_(app.add_subcommand("exec", "run a command on another host")) {
  add_client_options(*command_, arguments_);
  command_->formatter(std::make_shared<ExecHelp>());
  command_->footer(std::string("Examples:\n") + kExamples +
                   "\nThe exit code is the command's own; 255 if the connection failed, 2 for a wrong command line.");
}

int ExecCommand::take_words(int argc, char** argv) {
  if (argc < 2 || std::string_view(argv[1]) != command_->get_name()) return argc;
  bool destination_seen = false;
  int i = 2;
  while (i < argc) {
    const std::string word = argv[i];
    const bool is_option = word.size() > 1 && word.starts_with('-');
    if (destination_seen && (!is_option || word == "--")) break;
    destination_seen |= !is_option;
    const CLI::Option* option = is_option ? command_->get_option_no_throw(word) : nullptr;
    i += option != nullptr && option->get_items_expected_max() > 0 ? 2 : 1;
  }
  if (i >= argc) return argc;
  const int first = std::string_view(argv[i]) == "--" ? i + 1 : i;
  words_.assign(argv + first, argv + argc);
  return i;
}

int ExecCommand::run() const {
  const Checked<ClientOptions> options = read_client_options(arguments_);
  if (!options) return complain(exit_code(ExitCode::kUsage), options.error());
  if (words_.empty())
    return complain(exit_code(ExitCode::kUsage), "there is no command to run; write it after the destination");
  const auto login = ClientLogin::open(*options);
  if (!login) return complain(kConnectionError, login.error());
  ExecRequest request;
  (*login)->fill(request);
  request.command = fmt::format("{}", fmt::join(words_, " "));  // as ssh does: the shell there takes it apart again
  request.input_fd = STDIN_FILENO;
  request.output_fd = STDOUT_FILENO;
  request.error_fd = STDERR_FILENO;
  const ExecOutcome outcome = run_exec(request);
  return report(outcome, **login);
}

}  // namespace plumb
