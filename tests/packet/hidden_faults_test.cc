// CPNI-957037: under CBC with MAC-then-encrypt, when a connection ends must not tell what was wrong with a packet.
#include <gtest/gtest.h>

#include "tests/packet/foreign_cipher.h"

namespace plumb::testing {
namespace {

class HiddenFaults : public ::testing::TestWithParam<Suite> {
 protected:
  /// A packet of this packet_length, then noise; the MAC of a packet of that length is wrong.
  static std::vector<uint8_t> damaged(uint32_t length) {
    const auto sealer = make_foreign_sealer(GetParam(), suite_keys(GetParam()));
    std::vector<uint8_t> wire = sealed_by(*sealer, 0, raw_packet(length, 4, some_bytes(43)));
    const std::vector<uint8_t> noise = some_bytes(kMaxWireSize, 5);
    wire.insert(wire.end(), noise.begin(), noise.end());
    return wire;
  }

  const size_t all_ = PacketReader::kHiddenSize + GetParam().sealer(suite_keys(GetParam()))->framing().tag;
};

TEST_P(HiddenFaults, EveryFaultIsToldAtTheSamePlaceAndAlike) {
  // Too small, off the block, too large; then within the bounds, with a MAC that is wrong there.
  for (uint32_t length : {0u, 4u, 13u, 64u, 262148u, 0xffffffffu, 12u, 28u, 1004u, 32764u, 262140u}) {
    const std::vector<uint8_t> wire = damaged(length);
    for (size_t piece : {size_t{1000}, size_t{32768}, all_ - 1}) {
      PacketReader reader;
      reader.set_opener(GetParam().opener(suite_keys(GetParam())));
      Buffer in{kMaxWireSize};
      for (size_t at = 0; at < all_ - 1; at += piece) {
        append(in, Bytes(wire).subspan(at, std::min(piece, all_ - 1 - at)));
        const auto waiting = reader.next(in);
        ASSERT_TRUE(waiting.has_value() && !waiting->has_value()) << length << " at " << at;
      }
      append(in, Bytes(wire).subspan(all_ - 1, 1));
      for (int again = 0; again < 2; again++) {
        const auto refused = reader.next(in);
        ASSERT_FALSE(refused.has_value()) << length;
        EXPECT_EQ(refused.error().code, ErrorCode::kIntegrity);
        EXPECT_TRUE(std::string_view(refused.error().text).starts_with("length or MAC of a packet under CBC"));
      }
      EXPECT_NE(reader.fault_detail().find(std::to_string(length)), std::string::npos) << "for our own diagnosis";
    }
  }
}

TEST_P(HiddenFaults, NothingIsAllocatedForThem) {
  PacketReader reader;
  reader.set_opener(GetParam().opener(suite_keys(GetParam())));
  Buffer in{kMaxWireSize};
  append(in, Bytes(damaged(0xffffffff)).first(64));
  const size_t capacity = in.capacity();
  ASSERT_TRUE(reader.next(in).has_value());
  EXPECT_EQ(in.capacity(), capacity);
}

std::vector<Suite> suites_that_hide() {
  std::vector<Suite> suites = all_suites();
  std::erase_if(suites, [](const Suite& suite) { return !suite.hides_faults(); });
  return suites;
}

INSTANTIATE_TEST_SUITE_P(Packet, HiddenFaults, ::testing::ValuesIn(suites_that_hide()), suite_param_name);

TEST(HiddenFaultsFraming, AreThoseOfCbcWithMacThenEncryptAlone) {
  size_t hiding = 0;
  for (const Suite& suite : all_suites()) {
    const bool expected = suite.cipher->name.ends_with("-cbc") && !suite.mac->etm;
    EXPECT_EQ(suite.opener(suite_keys(suite))->framing().hides_faults, expected) << suite_name(suite);
    hiding += expected ? 1 : 0;
  }
  EXPECT_GT(hiding, 0u);
}

}  // namespace
}  // namespace plumb::testing
