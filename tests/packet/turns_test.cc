// Several packets in one turn of writer and reader: sealed and verified in step where the cipher gains from it, and
// never to be told from one after the other.
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/packet/suites.h"

namespace plumb::testing {
namespace {

constexpr uint32_t kFirst = 0xfffffffb;  // the sequence number wraps within the turns

std::vector<uint8_t> payload(size_t i) { return some_bytes(1 + i * 131 % 900, static_cast<uint32_t>(i)); }

/// `payload(i)` into the space of the writer, without the flush of `write_packet`.
void put(PacketWriter& writer, Buffer& out, size_t i) {
  const std::vector<uint8_t> bytes = payload(i);
  const MutBytes space = writer.begin(out, bytes.size() + i % 7 * 100);
  ASSERT_GE(space.size(), bytes.size());
  std::ranges::copy(bytes, space.begin());
  writer.commit(out, bytes.size());
}

class Turns : public ::testing::TestWithParam<Suite> {
 protected:
  /// `count` packets of one writer, flushed after every `turn` of them.
  std::vector<uint8_t> written(size_t count, size_t turn) const {
    CountingRandom padding;
    PacketWriter writer(padding, kFirst);
    writer.set_sealer(GetParam().sealer(suite_keys(GetParam())));
    Buffer out{1 << 20};
    for (size_t i = 0; i < count; i++) {
      put(writer, out, i);
      if (i % turn == turn - 1) writer.flush(out);
    }
    writer.flush(out);
    EXPECT_EQ(writer.waiting(), 0u);
    return to_vector(out.data());
  }

  PacketReader reader() const {
    PacketReader reader(kFirst);
    reader.set_opener(GetParam().opener(suite_keys(GetParam())));
    return reader;
  }
};

TEST_P(Turns, WriteTheSameBytesHoweverManyPackets) {
  const std::vector<uint8_t> expected = written(30, 1);
  for (size_t turn : {2, 3, 4, 7, 8, 9, 30}) ASSERT_EQ(written(30, turn), expected) << turn << " packets a turn";
}

TEST_P(Turns, WaitingPacketsAreNoOutputYetAndCountForTheBounds) {
  CountingRandom padding;
  PacketWriter writer(padding);
  const auto sealer = GetParam().sealer(suite_keys(GetParam()));
  const size_t step = sealer->in_step();
  writer.set_sealer(GetParam().sealer(suite_keys(GetParam())));
  Buffer out{2000};
  size_t sizes = 0;
  for (size_t i = 0; i < 2 * step; i++) {
    const MutBytes space = writer.begin(out, 10);
    if (space.empty()) break;
    sizes += writer.commit(out, 10);
    EXPECT_EQ(out.size() + writer.waiting(), sizes);
    EXPECT_EQ(writer.waiting() == 0, (i + 1) % step == 0);
  }
  EXPECT_TRUE(writer.begin(out, 2000 - out.size() - writer.waiting()).empty()) << "what waits needs room too";
}

TEST_P(Turns, SurviveThatAllOutputIsConsumedMeanwhile) {
  CountingRandom padding;
  PacketWriter writer(padding, kFirst);
  writer.set_sealer(GetParam().sealer(suite_keys(GetParam())));
  Buffer out{1 << 20};
  std::vector<uint8_t> sent;
  for (size_t i = 0; i < 60; i++) {
    const std::vector<uint8_t> bytes = payload(i);
    const MutBytes space = writer.begin(out, bytes.size());
    ASSERT_FALSE(space.empty());
    std::ranges::copy(bytes, space.begin());
    if (i % 5 == 3) writer.flush(out);  // with the space of a packet behind it
    if (i % 3 == 1) {
      sent.insert(sent.end(), out.data().begin(), out.data().end());
      out.consume(out.size());
    }
    writer.commit(out, bytes.size());
    if (i % 4 == 2) {
      sent.insert(sent.end(), out.data().begin(), out.data().end());
      out.consume(out.size());
    }
  }
  writer.flush(out);
  sent.insert(sent.end(), out.data().begin(), out.data().end());
  Buffer in{1 << 20};
  append(in, sent);
  PacketReader reading = reader();
  for (size_t i = 0; i < 60; i++) {
    const auto opened = reading.next(in);
    ASSERT_TRUE(opened && *opened) << i << ": " << reading.fault_detail();
    ASSERT_EQ(to_vector((*opened)->payload), payload(i)) << i;
  }
}

TEST_P(Turns, AreReadInAnyPieces) {
  const std::vector<uint8_t> wire = written(40, 8);
  for (size_t piece : {size_t{1}, size_t{100}, size_t{1500}, size_t{5000}, wire.size()}) {
    Buffer in{1 << 20};
    PacketReader reading = reader();
    size_t read = 0;
    for (size_t at = 0; at < wire.size(); at += piece) {
      append(in, Bytes(wire).subspan(at, std::min(piece, wire.size() - at)));
      for (;;) {
        const auto opened = reading.next(in);
        ASSERT_TRUE(opened.has_value()) << reading.fault_detail();
        if (!*opened) break;
        ASSERT_EQ((*opened)->sequence, kFirst + static_cast<uint32_t>(read));
        ASSERT_EQ(to_vector((*opened)->payload), payload(read)) << read;
        read++;
      }
    }
    ASSERT_EQ(read, 40u) << "in pieces of " << piece;
  }
}

// The view of a payload lives while those behind it are verified and even while the keys change.
TEST_P(Turns, AFailureComesInItsTurnAndHidesNothingBeforeIt) {
  const std::vector<uint8_t> wire = written(12, 12);
  std::vector<size_t> ends;
  {
    Buffer in{1 << 20};
    append(in, wire);
    PacketReader reading = reader();
    size_t at = 0;
    while (true) {
      const auto opened = reading.next(in);
      ASSERT_TRUE(opened.has_value());
      if (!*opened) break;
      ends.push_back(at += (*opened)->wire_size);
    }
  }
  ASSERT_EQ(ends.size(), 12u);
  for (size_t bad = 0; bad < ends.size(); bad++) {
    std::vector<uint8_t> damaged = wire;
    damaged[ends[bad] - 1] ^= 1;
    Buffer in{1 << 20};
    append(in, damaged);
    append_what_hides_faults(in, GetParam());
    PacketReader reading = reader();
    for (size_t i = 0; i < bad; i++) {
      const auto opened = reading.next(in);
      ASSERT_TRUE(opened && *opened) << i << " of " << bad;
      ASSERT_EQ(to_vector((*opened)->payload), payload(i));
    }
    const auto refused = reading.next(in);
    ASSERT_FALSE(refused.has_value());
    ASSERT_EQ(refused.error().code, ErrorCode::kIntegrity);
  }
}

// A turn in which the keys change after any packet; the reader has the whole of it before it hears of that.
TEST_P(Turns, KeysChangeBetweenAnyTwoPackets) {
  const Suite suite = GetParam();
  for (size_t change = 1; change < 10; change++) {
    CountingRandom padding;
    PacketWriter writer(padding, kFirst);
    writer.set_sealer(suite.sealer(suite_keys(suite, 1)));
    Buffer wire{1 << 20};
    for (size_t i = 0; i < 10; i++) {
      if (i == change) {
        writer.flush(wire);
        writer.set_sealer(suite.sealer(suite_keys(suite, 2)));
      }
      put(writer, wire, i);
    }
    writer.flush(wire);
    PacketReader reading(kFirst);
    reading.set_opener(suite.opener(suite_keys(suite, 1)));
    for (size_t i = 0; i < 10; i++) {
      const auto opened = reading.next(wire);
      ASSERT_TRUE(opened && *opened) << i << ": " << reading.fault_detail();
      if (i + 1 == change) reading.set_opener(suite.opener(suite_keys(suite, 2)));
      ASSERT_EQ(to_vector((*opened)->payload), payload(i));
    }
  }
}

TEST(TurnsDeathTest, KeysDoNotChangeUnderWaitingPackets) {
  const Suite suite{find_cipher("aes128-ctr"), find_mac("hmac-sha2-256-etm@openssh.com")};
  CountingRandom padding;
  PacketWriter writer(padding);
  const auto sealer = suite.sealer(suite_keys(suite));
  if (sealer->in_step() == 1) GTEST_SKIP() << "this CPU gains nothing from several packets";
  writer.set_sealer(suite.sealer(suite_keys(suite)));
  Buffer out{1 << 20};
  put(writer, out, 0);
  EXPECT_DEATH(writer.set_sealer(suite.sealer(suite_keys(suite))), "check failed");
}

INSTANTIATE_TEST_SUITE_P(Packet, Turns, ::testing::ValuesIn(all_suites()), suite_param_name);

}  // namespace
}  // namespace plumb::testing
