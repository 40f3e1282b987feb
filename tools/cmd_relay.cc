#include "tools/cmd_relay.h"

#include <fmt/format.h>

#include <asio/signal_set.hpp>
#include <csignal>

#include "net/tcp.h"
#include "tools/program.h"
#include "tools/setting_values.h"

namespace plumb {
namespace {

constexpr const char* kExamples =
    "  plumb relay --port 2200 --delay 50ms --rate 1gbit 127.0.0.1:22   a path of 100 ms to this host\n"
    "  ssh -p 2200 127.0.0.1 true                                       and a way to try it\n";

constexpr Duration kLookUp = std::chrono::seconds(15);

struct Target {
  std::string host;
  uint16_t port;
};

Checked<Target> read_target(const std::string& text) {
  const size_t colon = text.rfind(':');
  if (colon == std::string::npos || colon == 0)
    return tl::unexpected(fmt::format("'{}' does not say where to; write HOST:PORT", text));
  std::string host = text.substr(0, colon);
  if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
  const Checked<uint16_t> port = read_port(text.substr(colon + 1));
  if (!port) return tl::unexpected(fmt::format("'{}' does not say where to: {}", text, port.error()));
  return Target{host, *port};
}

}  // namespace

RelayCommand::RelayCommand(CLI::App& app)
    : command_(app.add_subcommand("relay", "pass connections on, as over a long path")) {
  command_->add_option("target", target_, "HOST:PORT that the connections go on to")->required();
  command_->add_option("--listen", listen_, "numeric address to listen on")->capture_default_str();
  command_->add_option("-p,--port", port_, "to listen on; a free one if not given");
  add_link_options(*command_, link_);
  command_->footer(
      std::string("Examples:\n") + kExamples +
      "\nSays `listening on ADDR port PORT` once it is ready. TCP ends here on both sides: what the delay shows\n"
      "is the windows and turns of the protocol above.");
}

int RelayCommand::run() const {
  const Checked<LinkShape> shape = read_link_shape(link_);
  if (!shape) return complain(ExitCode::kUsage, shape.error());
  const Checked<Target> target = read_target(target_);
  if (!target) return complain(ExitCode::kUsage, target.error());
  uint16_t port = 0;
  if (port_ && *port_ != "0") {
    const Checked<uint16_t> read = read_port(*port_);
    if (!read) return complain(ExitCode::kUsage, "--port: " + read.error());
    port = *read;
  }
  const auto runtime = Runtime::create();
  if (!runtime) return complain(ExitCode::kEnvironment, describe(runtime.error()));
  const auto endpoints = resolve(target->host, target->port, Runtime::now() + kLookUp);
  if (!endpoints) return complain(ExitCode::kPeer, fmt::format("{}: {}", target->host, describe(endpoints.error())));
  auto acceptor = listen(**runtime, listen_, port);
  if (!acceptor) return complain(ExitCode::kEnvironment, fmt::format("{}: {}", listen_, describe(acceptor.error())));
  const auto link = DelayLink::start(**runtime, *std::move(acceptor), endpoints->front(), *shape);
  fmt::print(stderr, "plumb: listening on {}\n", to_string(link->endpoint()));
  bool done = false;
  asio::signal_set ends((*runtime)->io(), SIGINT, SIGTERM);
  ends.async_wait([&](const asio::error_code& error, int) { done = !error; });
  (*runtime)->run_until(done);
  return exit_code(ExitCode::kOk);
}

}  // namespace plumb
