// A relay between both roles that drops and inserts packets before the first keys (CVE-2023-48795), as the draft of
// strict key exchange has it: stopped where both sides have the marker.
#include <gtest/gtest.h>

#include <algorithm>

#include "core/endian.h"
#include "core/message_ids.h"
#include "tests/session/test_server.h"

namespace plumb::testing {
namespace {

// The clear packets in one direction, cut out of the stream behind the identification.
class ClearStream {
 public:
  /// What passes on of `bytes`. Packets before and with NEWKEYS are told to `on_packet`, which returns whether they
  /// pass; `insert_before` is put before the packet of that number.
  std::vector<uint8_t> relay(Bytes bytes) {
    waiting_.insert(waiting_.end(), bytes.begin(), bytes.end());
    std::vector<uint8_t> out;
    const auto pass = [&](size_t n) {
      out.insert(out.end(), waiting_.begin(), waiting_.begin() + static_cast<std::ptrdiff_t>(n));
      waiting_.erase(waiting_.begin(), waiting_.begin() + static_cast<std::ptrdiff_t>(n));
    };
    if (!identified_) {
      const auto newline = std::find(waiting_.begin(), waiting_.end(), '\n');
      if (newline == waiting_.end()) return out;
      identified_ = true;
      pass(static_cast<size_t>(newline - waiting_.begin()) + 1);
    }
    while (!encrypted_ && waiting_.size() > 5 && waiting_.size() >= 4 + load_be32(waiting_.data())) {
      const uint8_t number = waiting_[5];
      if (number == insert_before) {
        const std::vector<uint8_t> ignore{0, 0, 0, 12, 6, msg::kIgnore, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0};
        for (int i = 0; i < insertions; i++) out.insert(out.end(), ignore.begin(), ignore.end());
      }
      pass(4 + load_be32(waiting_.data()));
      encrypted_ = number == msg::kNewKeys;
    }
    if (encrypted_ && !waiting_.empty()) {
      // The first sealed packet: chacha20-poly1305 hides its length, but whoever wants to drop it knows it.
      const size_t dropped = std::min(drop_after_newkeys, waiting_.size());
      drop_after_newkeys -= dropped;
      waiting_.erase(waiting_.begin(), waiting_.begin() + static_cast<std::ptrdiff_t>(dropped));
      pass(waiting_.size());
    }
    return out;
  }

  uint8_t insert_before = 0;
  int insertions = 1;
  size_t drop_after_newkeys = 0;  ///< bytes

 private:
  std::vector<uint8_t> waiting_;
  bool identified_ = false, encrypted_ = false;
};

void run_through(TestClient& client, TestServer& server, ClearStream& up, ClearStream& down) {
  for (int quiet = 0; quiet < 2;) {
    client.poll();
    server.poll();
    const std::vector<uint8_t> from_client = client.take_output();
    server.feed(up.relay(from_client));
    server.pump();
    const std::vector<uint8_t> from_server = server.take_output();
    client.feed(down.relay(from_server));
    quiet = from_client.empty() && from_server.empty() ? quiet + 1 : 0;
  }
}

ConnectionConfig chacha() {
  ConnectionConfig config;
  config.algorithms.ciphers_c2s = config.algorithms.ciphers_s2c = {"chacha20-poly1305@openssh.com"};
  return config;
}

TEST(Terrapin, C35AnInsertedPacketEndsTheConnectionWhereverItStands) {
  for (const bool to_server : {true, false}) {
    const std::vector<uint8_t> places = {20, uint8_t(to_server ? 30 : 31), 21};
    for (const uint8_t place : places) {
      TestServer server(chacha());
      TestClient client(chacha());
      ClearStream up, down;
      (to_server ? up : down).insert_before = place;
      run_through(client, server, up, down);
      EXPECT_FALSE(client.authenticated()) << int{place};
      const TestEnd& victim = to_server ? static_cast<TestEnd&>(server) : client;
      ASSERT_NE(victim.closed(), nullptr) << int{place};
      EXPECT_EQ(victim.closed()->error.code, ErrorCode::kProtocol);
      EXPECT_FALSE(victim.saw("KeysChanged"));
    }
  }
}

TEST(Terrapin, C35TheAttackOnExtInfoIsStoppedByTheSequenceNumber) {
  // One IGNORE to the client before NEWKEYS moves its sequence number, so that the EXT_INFO behind NEWKEYS can be taken
  // out. Strict key exchange sees the IGNORE; and without the IGNORE the number does not fit.
  TestServer server(chacha());
  TestClient client(chacha());
  ClearStream up, down;
  down.drop_after_newkeys = 300;
  run_through(client, server, up, down);
  EXPECT_FALSE(client.authenticated());
}

}  // namespace
}  // namespace plumb::testing
