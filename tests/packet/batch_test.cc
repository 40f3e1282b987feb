// Several packets in one call give what one after the other gives.
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/packet/suites.h"

namespace plumb::testing {
namespace {

constexpr uint32_t kFirst = 0xfffffff8;  // the sequence number wraps inside the batch

/// Packets of different lengths with room for their tags, and the references that a batch takes.
struct Batch {
  Batch(size_t count, const Framing& framing) : tag(framing.tag) {
    for (size_t i = 0; i < count; i++) {
      const size_t padded = framing.block * (1 + i * 7 % 40);
      const size_t size = framing.length_is_aad ? padded + 4 : padded;
      wire.push_back(raw_packet(static_cast<uint32_t>(size - 4), 4, some_bytes(size - 5, static_cast<uint32_t>(i))));
      wire.back().resize(size + tag);
    }
  }

  PacketRef ref(size_t i) {
    const MutBytes all = wire[i];
    return {all.first(all.size() - tag), all.last(tag)};
  }

  std::vector<PacketRef> refs() {
    std::vector<PacketRef> all;
    for (size_t i = 0; i < wire.size(); i++) all.push_back(ref(i));
    return all;
  }

  size_t tag;
  std::vector<std::vector<uint8_t>> wire;
};

class Batches : public ::testing::TestWithParam<Suite> {
 protected:
  const DirectionKeys keys_ = suite_keys(GetParam());
  const Framing framing_ = GetParam().sealer(keys_)->framing();

  Batch sealed(size_t count) const {
    Batch batch(count, framing_);
    const auto sealer = GetParam().sealer(keys_);
    for (size_t i = 0; i < count; i++) {
      const PacketRef p = batch.ref(i);
      sealer->seal(kFirst + static_cast<uint32_t>(i), p.packet, p.tag);
    }
    return batch;
  }
};

class VerifyAhead : public Batches {};

TEST_P(Batches, SealManyIsSealOneAfterTheOther) {
  const Batch expected = sealed(40);
  for (size_t group : {size_t{1}, size_t{2}, size_t{3}, size_t{7}, size_t{8}, size_t{9}, size_t{17}, size_t{40}}) {
    Batch batch(40, framing_);
    const std::vector<PacketRef> refs = batch.refs();
    const auto sealer = GetParam().sealer(keys_);
    sealer->seal_many(kFirst, {});
    for (size_t i = 0; i < refs.size(); i += group) {
      sealer->seal_many(kFirst + static_cast<uint32_t>(i),
                        std::span(refs).subspan(i, std::min(group, refs.size() - i)));
    }
    ASSERT_EQ(batch.wire, expected.wire) << "in groups of " << group;
  }
}

TEST_P(VerifyAhead, C2_EachOpensOrFailsInItsTurn) {
  constexpr size_t kCount = 20;
  const Batch plain(kCount, framing_);
  for (size_t bad = 0; bad <= kCount; bad++) {
    Batch batch = sealed(kCount);
    if (bad < kCount) batch.wire[bad].back() ^= 1;
    const Batch before = batch;
    const auto opener = GetParam().opener(keys_);
    const size_t step = opener->in_step();
    ASSERT_GE(step, 1u);
    for (size_t i = 0; i < kCount; i++) {
      const uint32_t sequence = kFirst + static_cast<uint32_t>(i);
      const std::vector<PacketRef> refs = batch.refs();
      if (i % step == 0) opener->verify_ahead(sequence, std::span(refs).subspan(i, std::min(step, kCount - i)));
      ASSERT_EQ(batch.wire[i], before.wire[i]) << "touched before its turn";
      opener->open_length(sequence, refs[i].packet.first(framing_.head));
      ASSERT_EQ(opener->open(sequence, refs[i].packet, refs[i].tag), i != bad) << i;
      if (i == bad) {
        ASSERT_TRUE(std::ranges::all_of(refs[i].packet, [](uint8_t b) { return b == 0; }));
        break;
      }
      ASSERT_TRUE(std::ranges::equal(refs[i].packet, Bytes(plain.wire[i]).first(refs[i].packet.size()))) << i;
    }
  }
}

// What was found out ahead serves one packet of its number, once.
TEST_P(VerifyAhead, C2_NothingFoundOutServesTwice) {
  Batch batch = sealed(3);
  const auto opener = GetParam().opener(keys_);
  const std::vector<PacketRef> refs = batch.refs();
  opener->verify_ahead(kFirst, std::span(refs).first(std::min<size_t>(refs.size(), opener->in_step())));
  opener->open_length(kFirst, refs[0].packet.first(framing_.head));
  ASSERT_TRUE(opener->open(kFirst, refs[0].packet, refs[0].tag));
  EXPECT_FALSE(opener->open(kFirst, refs[0].packet, refs[0].tag)) << "now it is plaintext";
  // That was out of order, so that the rest is worked out anew.
  refs[1].packet[5] ^= 1;
  EXPECT_FALSE(opener->open(kFirst + 1, refs[1].packet, refs[1].tag));
}

/// The suites that a reader may look ahead with: the length stands outside.
std::vector<Suite> suites_with_length_outside() {
  std::vector<Suite> suites = all_suites();
  std::erase_if(suites, [](const Suite& suite) { return suite.is_mte(); });
  return suites;
}

INSTANTIATE_TEST_SUITE_P(Packet, Batches, ::testing::ValuesIn(all_suites()), suite_param_name);
INSTANTIATE_TEST_SUITE_P(Packet, VerifyAhead, ::testing::ValuesIn(suites_with_length_outside()), suite_param_name);

}  // namespace
}  // namespace plumb::testing
