#include "tests/session/bare_pair.h"

#include <algorithm>

#include "tests/session/test_server.h"

namespace plumb::testing {
namespace {

ConnectionConfig server_config() {
  ConnectionConfig config;
  config.role = Role::kServer;
  config.host_keys = {&server_host_key()};
  config.takes_channels = {open::Session::kName};
  return config;
}

ConnectionConfig client_config() {
  ConnectionConfig config;
  config.algorithms.kex = {"curve25519-sha256"};
  return config;
}

}  // namespace

BarePair::BarePair(std::string_view password)
    : password_(password), server_(make_end(server_config(), 1)), client_(make_end(client_config(), 2)) {}

BarePair::End BarePair::make_end(ConnectionConfig config, uint64_t seed) {
  End end;
  end.random = std::make_unique<ChaChaDrbg>(seed_bytes(seed), host_kernels());
  config.random = end.random.get();
  end.connection = std::make_unique<Connection>(std::move(config), Time());
  return end;
}

void BarePair::turn() {
  poll(client());
  move(client(), server());
  poll(server());
  move(server(), client());
}

void BarePair::poll(Connection& c) {
  for (;;) {
    const Event event = c.poll(Time());
    if (std::holds_alternative<event::Idle>(event) || std::holds_alternative<event::Closed>(event)) return;
    answer(c, event);
    if (on_event) on_event(c, event);
  }
}

void BarePair::answer(Connection& c, const Event& event) {
  if (std::holds_alternative<event::HostKey>(event)) c.accept_host_key();
  if (std::holds_alternative<event::AuthNeeded>(event))
    c.authenticate_password("user", SecretBytes(as_bytes(password_)));
  if (std::holds_alternative<event::AuthAttempt>(event)) c.accept_auth();
  if (std::holds_alternative<event::Authenticated>(event)) c.open_session();
  if (const auto* open = std::get_if<event::ChannelOpenRequested>(&event)) c.accept_channel(open->channel);
}

void BarePair::move(Connection& from, Connection& to) {
  while (!from.output().empty()) {
    const Bytes output = from.output();
    const MutBytes space = to.input_space();
    if (space.empty()) return;
    const size_t n = std::min(output.size(), space.size());
    if (on_transport) on_transport(true);
    std::copy_n(output.begin(), n, space.begin());
    if (on_transport) on_transport(false);
    to.input_commit(n);
    from.output_consume(n);
  }
}

}  // namespace plumb::testing
