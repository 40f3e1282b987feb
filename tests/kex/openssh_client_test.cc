// The installed ssh as the judge of our server side: it sends NEWKEYS only after it has verified the host key's
// signature over its own H. Everything up to there is in the clear, so no cipher is needed.
#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <future>

#include "core/endian.h"
#include "core/wire.h"
#include "interop/subprocess.h"
#include "kex/exchange.h"
#include "kex/messages.h"
#include "kex/negotiate.h"
#include "keys/signature.h"
#include "tests/kex/signer_key.h"
#include "tests/testing/seeded_random.h"

namespace plumb::testing {
namespace {

/// A byte stream over one accepted connection, with unencrypted packets. A peer that is silent for 20 s is gone.
class PlainPeer {
 public:
  explicit PlainPeer(int fd) : fd_(fd) {}
  PlainPeer(const PlainPeer&) = delete;
  PlainPeer& operator=(const PlainPeer&) = delete;
  ~PlainPeer() { close(fd_); }

  void send_text(std::string_view text) { send_bytes(as_bytes(text)); }

  void send_packet(Bytes payload) {
    const size_t padding = 4 + (8 - (5 + payload.size() + 4) % 8) % 8;
    std::vector<uint8_t> packet;
    Writer writer(packet);
    writer.u32(static_cast<uint32_t>(1 + payload.size() + padding));
    writer.u8(static_cast<uint8_t>(padding));
    writer.raw(payload);
    writer.raw(std::vector<uint8_t>(padding));
    send_bytes(packet);
  }

  /// Without its CR LF. Empty if the peer is gone.
  std::string line() {
    std::string text;
    for (std::vector<uint8_t> byte; !(byte = bytes(1)).empty() && byte[0] != '\n';) text += static_cast<char>(byte[0]);
    if (text.ends_with('\r')) text.pop_back();
    return text;
  }

  /// The next payload. Empty if the peer is gone.
  std::vector<uint8_t> packet() {
    const std::vector<uint8_t> head = bytes(5);
    if (head.empty() || load_be32(head.data()) - 1 > 35000) return {};
    std::vector<uint8_t> payload = bytes(load_be32(head.data()) - 1);
    payload.erase(payload.end() - static_cast<ptrdiff_t>(std::min<size_t>(payload.size(), head[4])), payload.end());
    return payload;
  }

 private:
  void send_bytes(Bytes bytes) {
    while (!bytes.empty()) {
      const ssize_t sent = send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (sent <= 0) return;
      bytes = bytes.subspan(static_cast<size_t>(sent));
    }
  }

  std::vector<uint8_t> bytes(size_t size) {
    std::vector<uint8_t> read(size);
    for (size_t have = 0; have < size;) {
      pollfd readable{fd_, POLLIN, 0};
      if (poll(&readable, 1, 20000) != 1) return {};
      const ssize_t got = recv(fd_, read.data() + have, size - have, 0);
      if (got <= 0) return {};
      have += static_cast<size_t>(got);
    }
    return read;
  }

  int fd_;
};

/// Listens on a free port of 127.0.0.1.
class Listener {
 public:
  Listener() : fd_(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    PLUMB_CHECK(bind(fd_, reinterpret_cast<sockaddr*>(&address), size) == 0 && listen(fd_, 1) == 0);
    PLUMB_CHECK(getsockname(fd_, reinterpret_cast<sockaddr*>(&address), &size) == 0);
    port_ = ntohs(address.sin_port);
  }
  Listener(const Listener&) = delete;
  Listener& operator=(const Listener&) = delete;
  ~Listener() { close(fd_); }

  uint16_t port() const { return port_; }

  /// -1 if nobody comes.
  int accept_one() const {
    pollfd readable{fd_, POLLIN, 0};
    return poll(&readable, 1, 20000) == 1 ? accept4(fd_, nullptr, nullptr, SOCK_CLOEXEC) : -1;
  }

 private:
  int fd_;
  uint16_t port_;
};

/// What K shall look like: behind its leading zero bytes the top bit set, or at least one such byte.
enum class Shape { kAny, kTopBit, kLeadingZero };

bool has_shape(const SharedSecret& secret, Shape shape) {
  const Bytes value = secret.value.bytes();
  const auto first = std::find_if(value.begin(), value.end(), [](uint8_t byte) { return byte != 0; });
  if (shape == Shape::kTopBit) return first != value.end() && *first >= 0x80;
  return shape == Shape::kAny || first != value.begin();
}

/// A seed under which our answer to `init` gives a K of this shape; any seed will do for any shape.
uint64_t seed_for(const KexMethod& method, Bytes init, Shape shape) {
  if (shape == Shape::kAny) return 1;
  const Bytes client_value = parse_message<KexEcdhInit>(init).value().client_value;
  for (uint64_t seed = 1;; seed++) {
    SeededRandom random(seed);
    if (has_shape(method.respond(client_value, random).value().secret, shape)) return seed;
  }
}

/// Our side of one exchange with whoever connects. The number of the message that the client sends after our reply, or
/// 0 if it went away.
uint8_t serve_one_exchange(const Listener& listener, const KexMethod& method, std::string_view algorithm,
                           const PrivateKey& host_key, Shape shape) {
  const int fd = listener.accept_one();
  if (fd < 0) return 0;
  PlainPeer peer(fd);
  const std::string server_identification = "SSH-2.0-Plumbline_test";
  Proposal server;
  system_random().fill(server.cookie);
  server.kex = {std::string(method.name)};
  server.host_keys = {std::string(algorithm)};
  server.ciphers_c2s = server.ciphers_s2c = {"chacha20-poly1305@openssh.com"};
  const std::vector<uint8_t> server_kexinit = write_proposal(server);
  peer.send_text(server_identification + "\r\n");
  peer.send_packet(server_kexinit);

  const std::string client_identification = peer.line();
  const std::vector<uint8_t> client_kexinit = peer.packet();
  const Result<Proposal> client = parse_proposal(client_kexinit);
  if (!client) return 0;
  NoCommon why;
  const auto aead = [](std::string_view) { return true; };
  const Result<Negotiated> chosen = negotiate(*client, server, false, aead, &why);
  EXPECT_TRUE(chosen.has_value()) << describe(why);
  if (!chosen) return 0;
  EXPECT_EQ(chosen->kex, &method);
  EXPECT_TRUE(chosen->peer_ext_info);
  EXPECT_FALSE(chosen->strict);

  std::vector<uint8_t> next = peer.packet();
  if (next.empty()) return 0;
  SeededRandom random(seed_for(method, next, shape));
  ServerExchange exchange(method, chosen->host_key, host_key, random);
  if (exchange.awaits_request()) {
    const Result<std::vector<uint8_t>> group = exchange.take_request(next, Moduli());
    if (!group) return 0;
    peer.send_packet(*group);
    next = peer.packet();
  }
  const ExchangeContext context{client_identification, server_identification, client_kexinit, server_kexinit};
  const Result<ServerReply> reply = exchange.respond(context, next);
  if (!reply) return 0;
  peer.send_packet(reply->payload);
  next = peer.packet();
  return next.empty() ? 0 : next[0];
}

/// Each method of the table, skipped where the installed ssh does not have it.
class OpensshClient : public ::testing::TestWithParam<const KexMethod*> {
 protected:
  void SetUp() override {
    ProgramRequest list;
    list.argv = {"ssh", "-Q", "kex"};
    const ProgramResult known = run_program(list);
    if (!known.started) GTEST_SKIP() << "ssh is not installed (openssh-client)";
    if (("\n" + known.output).find("\n" + std::string(GetParam()->name) + "\n") == std::string::npos) {
      GTEST_SKIP() << "the installed ssh does not have " << GetParam()->name;
    }
  }

  void expect_newkeys(std::string_view algorithm, const PrivateKey& key, Shape shape) {
    const KexMethod& method = *GetParam();
    SCOPED_TRACE(std::string(method.name) + " " + std::string(algorithm));
    const Listener listener;
    auto next =
        std::async(std::launch::async, [&] { return serve_one_exchange(listener, method, algorithm, key, shape); });
    ProgramRequest request;
    request.argv = {"ssh", "-v", "-F", "none", "-p", std::to_string(listener.port()), "x@127.0.0.1"};
    for (const std::string& option :
         {std::string("BatchMode=yes"), std::string("StrictHostKeyChecking=no"),
          std::string("UserKnownHostsFile=/dev/null"), std::string("GlobalKnownHostsFile=/dev/null"),
          "KexAlgorithms=" + std::string(method.name), "HostKeyAlgorithms=" + std::string(algorithm)}) {
      request.argv.insert(request.argv.end() - 1, {"-o", option});
    }
    request.timeout = std::chrono::seconds(30);
    const ProgramResult ssh = run_program(request);
    EXPECT_EQ(next.get(), msg::kNewKeys) << ssh.error;
  }

  const std::unique_ptr<PrivateKey> ed25519_ = ed25519_from_seed(std::array<uint8_t, 32>{9});
};

TEST_P(OpensshClient, AcceptsOurServersExchange) {
  for (const SignatureAlgorithm& algorithm : signature_algorithms()) {
    expect_newkeys(algorithm.name, foreign_key(algorithm.key_type), Shape::kAny);
  }
}

// V-22, C28: our private value is drawn until K has its top bit set, or a leading zero byte.
TEST_P(OpensshClient, V22AcceptsEveryShapeOfK) {
  const std::string_view name = GetParam()->name;
  if (name.starts_with("diffie-hellman") && name != "diffie-hellman-group14-sha256") {
    GTEST_SKIP() << "256 answers in a larger group take minutes, and K is encoded as in group 14";
  }
  for (const Shape shape : {Shape::kTopBit, Shape::kLeadingZero}) expect_newkeys("ssh-ed25519", *ed25519_, shape);
}

INSTANTIATE_TEST_SUITE_P(Table, OpensshClient, ::testing::ValuesIn([] {
                           std::vector<const KexMethod*> methods;
                           for (const KexMethod& method : kex_methods()) methods.push_back(&method);
                           return methods;
                         }()),
                         [](const auto& instance) {
                           std::string name(instance.param->name);
                           std::erase_if(name, [](char c) { return std::isalnum(static_cast<unsigned char>(c)) == 0; });
                           return name;
                         });

}  // namespace
}  // namespace plumb::testing
