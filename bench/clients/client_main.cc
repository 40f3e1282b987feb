#include "bench/clients/client_main.h"

#include <fmt/format.h>

#include <cstdlib>

#include "tools/program.h"

namespace plumb {

int client_main(const std::string& what, int argc, char** argv,
                const std::function<ClientVerdict(const ClientJob&)>& run, const std::function<void(CLI::App&)>& more) {
  ClientJob job;
  CLI::App app(fmt::format("One SSH connection by {}: a command, or a file by SFTP. ssh_bench runs this.", what));
  add_standard_options(app, "The password, if there is one, stands in PLUMB_BENCH_PASSWORD.");
  app.add_option("--host", job.host, "Where to")->required();
  app.add_option("--port", job.port, "Its port")->capture_default_str();
  app.add_option("--user", job.user, "Who to log in as")->required();
  app.add_option("--key", job.key, "A private key file");
  app.add_option("--known-hosts", job.known_hosts, "A file with the host's key");
  app.add_option("--cipher", job.cipher, "The one to offer");
  app.add_flag("--marks", job.marks, "Tell on standard error when it is connected and logged in");
  if (more) more(app);
  CLI::App* exec = app.add_subcommand("exec", "Standard input to a command there, its output to standard output");
  exec->add_option("COMMAND", job.from)->required();
  CLI::App* get = app.add_subcommand("get", "A file there to a file here");
  get->add_option("REMOTE", job.from)->required();
  get->add_option("LOCAL", job.to)->required();
  CLI::App* put = app.add_subcommand("put", "A file here to a file there");
  put->add_option("LOCAL", job.from)->required();
  put->add_option("REMOTE", job.to)->required();
  app.require_subcommand(1);
  if (const std::optional<int> code = parse_command_line(app, argc, argv)) return *code;

  if (const char* password = std::getenv("PLUMB_BENCH_PASSWORD"); password != nullptr) job.password = password;
  if (get->parsed()) job.task = ClientJob::Task::kGet;
  if (put->parsed()) job.task = ClientJob::Task::kPut;
  if (const ClientVerdict done = run(job); !done) {
    fmt::print(stderr, "{}\n", done.error());
    return exit_code(ExitCode::kPeer);
  }
  return exit_code(ExitCode::kOk);
}

}  // namespace plumb
