#include "tools/cmd_exec.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <memory>

#include "forward/exec_client.h"
#include "tools/client_options.h"
#include "tools/host_key_check.h"
#include "tools/identity.h"
#include "tools/program.h"
#include "tools/terminal.h"

namespace plumb {
namespace {

/// ssh's exit code for its own failures.
constexpr int kConnectionError = 255;

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

int complain(int code, const std::string& sentence) {
  fmt::print(stderr, "plumb: {}\n", sentence);
  return code;
}

ExecRequest make_request(const ClientOptions& options, const Identities& identities, HostKeyCheck& host_keys) {
  ExecRequest request;
  request.host = options.host;
  request.port = options.port;
  request.user = options.user;
  for (const auto& key : identities.keys) request.keys.push_back(key.get());
  host_keys.attach_to(request);
  request.input_fd = STDIN_FILENO;
  request.output_fd = STDOUT_FILENO;
  request.error_fd = STDERR_FILENO;
  request.banner = [](std::string_view text) { fmt::print(stderr, "{}", text); };
  if (options.verbose) request.progress = [](std::string_view line) { fmt::print(stderr, "plumb: {}\n", line); };
  request.connect_timeout = options.connect_timeout;
  request.config.timeouts.handshake = options.connect_timeout;
  request.config.rekey = options.rekey;
  request.config.algorithms = options.algorithms;
  if (options.algorithms.host_keys.empty()) request.config.algorithms.host_keys = host_keys.algorithms();
  return request;
}

/// More than a process can exit with is no success.
int status_code(const ExecOutcome& outcome) {
  return outcome.exited && outcome.exit_status <= 255 ? static_cast<int>(outcome.exit_status) : kConnectionError;
}

int report(const ExecOutcome& outcome, const HostKeyCheck& host_keys, const Identities& identities) {
  if (outcome.stage == ExecOutcome::Stage::kDone) {
    if (!outcome.exit_signal.empty())
      return complain(kConnectionError, "the command was ended by the signal " + outcome.exit_signal);
    if (!outcome.exited) return complain(kConnectionError, "the server ended the session without an exit status");
    return status_code(outcome);
  }
  // Whoever reads our output has gone away knowingly (`| head -1`): ssh says nothing either.
  if (outcome.error.os_error == EPIPE && outcome.stage == ExecOutcome::Stage::kExec) return status_code(outcome);
  if (!host_keys.refusal().empty()) return complain(kConnectionError, host_keys.refusal());
  std::string sentence = outcome.error_detail;
  if (outcome.error.code == ErrorCode::kAuth && !identities.note.empty()) sentence += "; not used: " + identities.note;
  return complain(kConnectionError, sentence);
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
  std::optional<Terminal> terminal;
  if (!options->batch) terminal = Terminal::open();
  AskPassphrase ask;
  if (terminal) {
    ask = [&terminal](const std::string& path) {
      return terminal->ask_secret(fmt::format("Passphrase of the key {}: ", path));
    };
  }
  const Checked<Identities> identities = load_identities(*options, ask);
  if (!identities) return complain(kConnectionError, identities.error());
  Checked<HostKeyCheck> host_keys = HostKeyCheck::load(*options);
  if (!host_keys) return complain(kConnectionError, host_keys.error());

  ExecRequest request = make_request(*options, *identities, *host_keys);
  request.command = fmt::format("{}", fmt::join(words_, " "));  // as ssh does: the shell there takes it apart again
  if (options->use_password && terminal) {
    request.password = [&] {
      return terminal->ask_secret(fmt::format("{}@{}'s password: ", options->user, options->host));
    };
  }
  const ExecOutcome outcome = run_exec(request);
  return report(outcome, *host_keys, *identities);
}

}  // namespace plumb
