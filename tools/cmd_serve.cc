#include "tools/cmd_serve.h"

#include <fmt/format.h>

#include <asio/signal_set.hpp>
#include <csignal>

#include "forward/local_file.h"
#include "tools/host_keys.h"
#include "tools/program.h"

namespace plumb {
namespace {

constexpr const char* kExamples =
    "  plumb serve                                       for yourself on 127.0.0.1, port 2222\n"
    "  plumb serve --listen :: -p 2022 -v                for the network, and say more\n"
    "  plumb serve --port 0 --host-key key --authorized-keys keys   apart from your own files\n"
    "  plumb serve --aead-only -o MaxAuthTries=3";

/// What commands that were hung up may take before they are left to init.
constexpr Duration kReapAtEnd = std::chrono::milliseconds(500);

std::string place(const Tcp::endpoint& endpoint) {
  const std::string address = endpoint.address().to_string();
  return endpoint.address().is_v6() ? fmt::format("[{}]:{}", address, endpoint.port())
                                    : fmt::format("{}:{}", address, endpoint.port());
}

}  // namespace

ServeCommand::ServeCommand(CLI::App& app)
    : command_(app.add_subcommand("serve", "let yourself in from other hosts: an SSH server for one user")) {
  add_serve_options(*command_, arguments_);
  command_->footer(std::string("Examples:\n") + kExamples +
                   "\nServes the user who starts it, nobody else. SIGTERM and SIGINT end it and hang up its commands.");
}

int ServeCommand::run() const {
  Checked<ServeOptions> options = read_serve_options(arguments_);
  if (!options) return complain(ExitCode::kUsage, options.error());
  auto host_keys = load_host_keys(options->host_key_files, options->server.access.key_limits);
  if (!host_keys) return complain(ExitCode::kEnvironment, host_keys.error());
  options->server.host_keys = *std::move(host_keys);
  options->server.log = [verbose = options->verbose](LogLevel level, std::string_view line) {
    if (verbose || level == LogLevel::kInfo) fmt::print(stderr, "plumb: {}\n", line);
  };

  std::signal(SIGCHLD, SIG_DFL);  // whoever started us may have chosen that ends of children are not told
  const SigpipeBlock no_sigpipe;
  const auto runtime = Runtime::create();
  if (!runtime) return complain(ExitCode::kEnvironment, describe(runtime.error()));
  for (const auto& key : options->server.host_keys)
    fmt::print(stderr, "plumb: host key {} {}\n", key->public_key().type(), key->public_key().fingerprint());
  const auto server = Server::start(**runtime, std::move(options->server), options->addresses);
  if (!server) return complain(ExitCode::kEnvironment, server.error());
  asio::signal_set ends((*runtime)->io(), SIGINT, SIGTERM);
  ends.async_wait([&](const asio::error_code& error, int) {
    if (!error) (*server)->stop();
  });
  for (const Tcp::endpoint& endpoint : (*server)->endpoints())
    fmt::print(stderr, "plumb: listening on {}\n", place(endpoint));
  (*runtime)->run_until((*server)->stopped());
  (*runtime)->io().run_for(kReapAtEnd);
  return exit_code(ExitCode::kOk);
}

}  // namespace plumb
