#include "bench/handshake_cases.h"

#include <fmt/format.h>
#include <unistd.h>

#include <thread>
#include <utility>

#include "interop/key_pairs.h"
#include "interop/offer.h"
#include "interop/peer.h"
#include "interop/relay.h"
#include "interop/scratch_folder.h"

namespace plumb {
namespace {

// One for all, so that the method alone differs: the host key that is cheapest to verify, and ssh's own first cipher.
constexpr const char* kHostKeyType = "ed25519";
constexpr const char* kHostKeyAlgorithm = "ssh-ed25519";
constexpr const char* kCipher = "chacha20-poly1305@openssh.com";

/// Bytes each way, once nothing comes any more: what a client sends last may reach the relay after the client's end.
std::pair<uint64_t, uint64_t> settled(const Relay& relay) {
  using namespace std::chrono_literals;
  std::pair<uint64_t, uint64_t> before, now(relay.bytes_to_target(), relay.bytes_to_client());
  do {
    before = now;
    std::this_thread::sleep_for(50ms);
    now = {relay.bytes_to_target(), relay.bytes_to_client()};
  } while (now != before);
  return now;
}

}  // namespace

std::string HandshakeBed::unavailable(const std::string& plumb) {
  if (access(plumb.c_str(), X_OK) != 0)
    return fmt::format("there is no program {}; build the target plumb, or name it with --plumb", plumb);
  return find_peer("openssh")->unavailable();
}

tl::expected<HandshakeBed, std::string> HandshakeBed::start(const std::string& plumb) {
  if (std::string why = unavailable(plumb); !why.empty()) return tl::unexpected(why);
  SshdOptions options;
  options.log_level = "INFO";
  auto sshd = SshdFixture::start(options);
  if (!sshd) return tl::unexpected(sshd.error());
  auto keys = FixtureClient::make(**sshd);
  if (!keys) return tl::unexpected(keys.error());
  const auto offer = ask_server((*sshd)->port());
  if (!offer) return tl::unexpected(offer.error());
  HandshakeBed bed(*std::move(sshd), *std::move(keys), plumb);
  bed.methods_ = common_algorithms(offer->proposal).kex;
  return bed;
}

tl::expected<Handshake, std::string> HandshakeBed::make(const HandshakeClient& client, const std::string& method,
                                                        uint16_t port) const {
  const auto host_key = key_pair("host", kHostKeyType);
  if (!host_key) return tl::unexpected(host_key.error());
  const auto folder = make_scratch_folder("handshake");
  if (!folder) return tl::unexpected(folder.error());
  const HandshakePlace place{*sshd_, keys_, port, text_of(host_key->string() + ".pub"), *folder, plumb_};
  MatrixCase test;
  test.kex = method;
  test.host_key = kHostKeyAlgorithm;
  test.cipher = kCipher;
  return client.make(place, test);
}

tl::expected<std::vector<HandshakeCase>, std::string> HandshakeBed::cases(const std::string& method) const {
  std::vector<HandshakeCase> all;
  for (const HandshakeClient& client : handshake_clients()) {
    const auto relay = Relay::start(sshd_->port(), {}, {});
    if (relay == nullptr) return tl::unexpected(std::string("there is no port for a relay on 127.0.0.1"));
    const auto counted = make(client, method, relay->port()).and_then([](const Handshake& run) { return run(); });
    if (!counted) return tl::unexpected(fmt::format("{} by {}: {}", client.name, method, counted.error()));
    const auto [sent, received] = settled(*relay);
    auto direct = make(client, method, sshd_->port());
    if (!direct) return tl::unexpected(direct.error());
    all.push_back({method, client.name, sent, received, *std::move(direct)});
  }
  return all;
}

}  // namespace plumb
