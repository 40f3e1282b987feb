#include "tools/cmd_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <asio/signal_set.hpp>
#include <csignal>
#include <fstream>
#include <iostream>

#include "tools/client_login.h"
#include "tools/file_batch.h"
#include "tools/program.h"
#include "tools/remote_path.h"

namespace plumb {
namespace {

constexpr const char* kEnds =
    "\nThe exit code is 0; 1 if something could not be done, 255 if the connection failed or was lost, 2 for a wrong\n"
    "command line. Each failure is told in one sentence.";

constexpr const char* kCopyExamples =
    "Examples:\n"
    "  plumb get alice@example.org:/var/log/syslog .\n"
    "  plumb get -rp alice@example.org:photos backup      a folder, with modes and times\n"
    "  plumb get --resume example.org:big.iso .           go on where it broke off\n"
    "  plumb get -r --resume example.org:photos/. backup  what is in the folder, into one that is there\n"
    "  plumb put -P 2222 a.txt b.txt example.org:notes/\n";

constexpr const char* kBatchExamples =
    "Examples:\n"
    "  plumb sftp -b commands.txt alice@example.org\n"
    "  echo 'put -r site /srv/www' | plumb sftp alice@example.org\n"
    "\nOne command per line; # begins a comment. It ends at the first failure, unless the line begins with -; a line "
    "that\n"
    "begins with @ is not shown. Words with blanks stand in quotes. Commands:\n";

/// CLI11 knows nothing of which words are paths there.
class UsageHelp final : public CLI::Formatter {
 public:
  explicit UsageHelp(std::string usage) : usage_(std::move(usage)) { column_width(32); }
  std::string make_usage(const CLI::App*, std::string) const override {
    return "Usage: plumb " + usage_ + "\nA PATH there is [user@]host:PATH.\n";
  }

 private:
  std::string usage_;
};

bool is_remote(RemoteWords remote, size_t i, size_t count) {
  switch (remote) {
    case RemoteWords::kNone: return false;
    case RemoteWords::kAll: return true;
    case RemoteWords::kAllButLast: return count == 1 || i + 1 < count;
    case RemoteWords::kLast: return i + 1 == count;
    case RemoteWords::kAllButFirst: return i > 0;
  }
  return false;
}

/// Takes "[user@]host:" off the words that are paths there; the host. Where it stands once it counts for all.
Checked<std::string> take_host(const FileCommand& command, Words& words) {
  std::string host;
  for (size_t i = 0; i < words.size(); i++) {
    if (!is_remote(command.remote, i, words.size())) continue;
    std::optional<RemotePath> remote = read_remote_path(words[i]);
    if (!remote) continue;
    if (!host.empty() && host != remote->destination)
      return tl::unexpected(fmt::format("'{}' and '{}' are two hosts; name one at a time", host, remote->destination));
    host = remote->destination;
    words[i] = remote->path;
  }
  if (host.empty())
    return tl::unexpected(std::string("no word says which host; write [user@]host:PATH for what is there"));
  return host;
}

std::string batch_help() {
  std::string text;
  for (const FileCommand& command : file_commands()) {
    std::string usage = command.name;
    for (const FileFlag& flag : command.flags) usage += fmt::format(" [-{}]", flag.letter);
    text += fmt::format("  {:<36} {}\n", usage + " " + command.arguments, command.what);
  }
  return text + fmt::format("  {:<36} {}\n", "exit", "end; `quit` and `bye` too") + kEnds;
}

/// One connection, from login to good-bye; `work` has the shell.
template <class Work>
int with_shell(ClientOptions options, bool quiet, Work work) {
  std::signal(SIGXFSZ, SIG_IGN);  // a file that may not grow is an error of `write`, not our end
  const auto login = ClientLogin::open(std::move(options));
  if (!login) return complain(kConnectionError, login.error());
  LoginRequest request;
  (*login)->fill(request);
  SftpClient client(std::move(request));
  if (!client.connect()) return complain(kConnectionError, (*login)->explain(client.outcome()));
  asio::signal_set signals(client.io(), SIGINT, SIGTERM);
  signals.async_wait([&client](const asio::error_code& error, int) {
    if (!error) client.stop("interrupted");
  });
  const auto shell = FileShell::open(client, quiet);
  if (!shell) return complain(ExitCode::kEnvironment, shell.error());
  const Checked<void> done = work(**shell);
  const bool lost = !client.usable();
  signals.cancel();
  client.close();
  if (!done) complain(ExitCode::kCheckFailed, done.error());
  if (lost) return complain(kConnectionError, (*login)->explain(client.outcome()));
  if (!done) return exit_code(ExitCode::kCheckFailed);
  if (std::fflush(stdout) != 0) return complain(ExitCode::kCheckFailed, "standard output takes no more");
  return exit_code(ExitCode::kOk);
}

}  // namespace

FileCommands::FileCommands(CLI::App& app) {
  for (const FileCommand& command : file_commands()) {
    if (command.batch_only) continue;
    Line& line = lines_.emplace_back(Line{.command = &command});
    line.app = app.add_subcommand(command.name, command.what);
    line.app->set_help_flag("--help", "say this and exit");  // -h is an option of df
    for (const FileFlag& flag : command.flags) {
      const std::string names =
          fmt::format("-{}{}{}", flag.letter, flag.name == nullptr ? "" : ",", flag.name == nullptr ? "" : flag.name);
      line.app->add_flag(names, line.flags.emplace_back(false), flag.what);
    }
    line.app->add_option("words", line.words, "[user@]host:PATH for what is there")->type_name("");
    const bool copies = command.remote == RemoteWords::kAllButLast || command.remote == RemoteWords::kLast;
    if (copies) line.app->add_flag("-q,--quiet", line.quiet, "no progress on the terminal");
    add_connection_options(*line.app, line.arguments, "-P");
    line.app->formatter(std::make_shared<UsageHelp>(fmt::format("{} [OPTIONS] {}", command.name, command.arguments)));
    line.app->footer((copies ? kCopyExamples : "") + std::string(kEnds));
  }
  Line& batch = lines_.emplace_back(Line{.command = nullptr});
  batch.app = app.add_subcommand("sftp", "file commands from a file, over one connection");
  batch.app->add_option("-b", batch.batch, "file of commands; standard input if not given, or -")->type_name("FILE");
  batch.app->add_flag("-q,--quiet", batch.quiet, "no progress on the terminal");
  add_connection_options(*batch.app, batch.arguments, "-P");
  batch.app->add_option("destination", batch.arguments.destination, "[user@]host[:port]")->type_name("");
  batch.app->footer(kBatchExamples + batch_help());
}

const FileCommands::Line* FileCommands::chosen_one() const {
  const auto found = std::ranges::find_if(lines_, [](const Line& line) { return line.app->parsed(); });
  return found == lines_.end() ? nullptr : &*found;
}

int FileCommands::run() const {
  const Line& line = *chosen_one();
  return line.command == nullptr ? run_batch_file(line) : run_one(line);
}

int FileCommands::run_one(const Line& line) const {
  Words words = line.words;
  if (const Checked<void> checked = check_words(*line.command, words.size()); !checked)
    return complain(ExitCode::kUsage, checked.error() + fmt::format("; see plumb {} --help", line.command->name));
  const Checked<std::string> host = take_host(*line.command, words);
  if (!host) return complain(ExitCode::kUsage, host.error());
  ClientArguments arguments = line.arguments;
  arguments.destination = *host;
  Checked<ClientOptions> options = read_client_options(arguments);
  if (!options) return complain(ExitCode::kUsage, options.error());
  FileFlags flags;
  for (size_t i = 0; i < line.flags.size(); i++) {
    if (line.flags[i]) flags.letters += line.command->flags[i].letter;
  }
  return with_shell(*std::move(options), line.quiet,
                    [&](FileShell& shell) { return line.command->run(shell, flags, words); });
}

int FileCommands::run_batch_file(const Line& line) const {
  Checked<ClientOptions> options = read_client_options(line.arguments);
  if (!options) return complain(ExitCode::kUsage, options.error());
  const bool standard = line.batch.empty() || line.batch == "-";
  std::ifstream file;
  if (!standard) {
    file.open(line.batch);
    if (!file) return complain(ExitCode::kEnvironment, line.batch + ": the batch cannot be read");
  }
  return with_shell(*std::move(options), line.quiet,
                    [&](FileShell& shell) { return run_batch(shell, standard ? std::cin : file, !line.quiet); });
}

}  // namespace plumb
