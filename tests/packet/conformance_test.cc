// What every cipher × MAC of the table must do. A new line there runs through all of this.
#include <gtest/gtest.h>

#include <algorithm>

#include "core/endian.h"
#include "packet/padding.h"
#include "tests/packet/suites.h"

namespace plumb::testing {
namespace {

class Conformance : public ::testing::TestWithParam<Suite> {
 protected:
  /// A reader of the suite's keys, at sequence number `sequence`.
  PacketReader new_reader(uint32_t sequence = 0, uint8_t salt = 0) const {
    PacketReader reader(sequence);
    reader.set_opener(GetParam().opener(suite_keys(GetParam(), salt)));
    return reader;
  }

  /// The payloads' packets in a row, from sequence number 0.
  std::vector<uint8_t> seal_all(const std::vector<std::vector<uint8_t>>& payloads) const {
    Link link(GetParam());
    for (const auto& payload : payloads) link.send(payload);
    return to_vector(link.wire.data());
  }

  /// All payloads of `wire`, fed in pieces of `chunk` bytes, with an impatient extra call after each piece.
  std::vector<std::vector<uint8_t>> open_all(Bytes wire, size_t chunk) const {
    PacketReader reader = new_reader();
    Buffer in{kMaxWireSize};
    std::vector<std::vector<uint8_t>> payloads;
    while (!wire.empty()) {
      const Bytes piece = wire.first(std::min(chunk, wire.size()));
      wire = wire.subspan(piece.size());
      append(in, piece);
      for (int nothing = 0; nothing < 2;) {
        const auto opened = reader.next(in);
        if (!opened) {
          ADD_FAILURE() << opened.error().text << " " << reader.fault_detail();
          return payloads;
        }
        if (*opened) {
          payloads.push_back(to_vector((*opened)->payload));
        } else {
          nothing++;
        }
      }
    }
    EXPECT_TRUE(in.empty());
    return payloads;
  }

  void expect_refused(Bytes wire, uint32_t sequence = 0, uint8_t salt = 0) const {
    PacketReader reader = new_reader(sequence, salt);
    Buffer in{1 << 20};
    append(in, wire);
    append_what_hides_faults(in, GetParam());
    const auto opened = reader.next(in);
    ASSERT_FALSE(opened.has_value());
    EXPECT_NE(reader.fault_detail(), "");
  }
};

const std::vector<uint8_t>& filler() {
  static const std::vector<uint8_t> bytes = some_bytes(kMaxWireSize, 77);
  return bytes;
}

TEST_P(Conformance, C6_RoundTripAtEveryLength) {
  Link link(GetParam());
  const auto sweep = [&](size_t first, size_t last) {
    for (size_t size = first; size <= last; size++) {
      const std::vector<uint8_t> payload = some_bytes(size, static_cast<uint32_t>(size));
      link.send(payload);
      ASSERT_EQ(link.receive(), payload) << size;
    }
  };
  sweep(1, 1100);
  sweep(16368, 16400);
  sweep(32752, 32784);
  EXPECT_EQ(link.reader.sequence(), link.writer.sequence());
  EXPECT_EQ(link.reader.epoch_bytes(), link.writer.epoch_bytes());
}

TEST_P(Conformance, C25_RoundTripOfTheLargestPackets) {
  Link link(GetParam());
  const Framing framing = GetParam().sealer(suite_keys(GetParam()))->framing();
  size_t largest = kMaxPacketLength - 1 - kMinPadding;
  while (1 + largest + padding_length(framing, largest) > kMaxPacketLength) largest--;
  for (size_t size : {size_t{32777}, size_t{34900}, size_t{35000}, size_t{65536}, largest}) {
    const std::vector<uint8_t> payload = some_bytes(size);
    link.send(payload);
    ASSERT_EQ(link.receive(), payload);
  }
  EXPECT_GT(largest, kMaxPacketLength - 32);
}

TEST_P(Conformance, C2_EveryFlippedBitIsRefused) {
  const std::vector<uint8_t> wire = seal_all({some_bytes(50)});
  for (size_t i = 0; i < wire.size(); i++) {
    for (int bit = 0; bit < 8; bit++) {
      if (GetParam().hides_faults() && bit != static_cast<int>(i % 8)) continue;  // each costs the longest packet
      std::vector<uint8_t> damaged = wire;
      damaged[i] ^= static_cast<uint8_t>(1 << bit);
      // A changed length may ask for more bytes, within its bound: let it have them.
      if (i < kLengthField) damaged.insert(damaged.end(), filler().begin(), filler().end());
      SCOPED_TRACE(::testing::Message() << "byte " << i << " bit " << bit);
      expect_refused(damaged);
    }
  }
}

TEST_P(Conformance, C2_DamagedTagIsAnIntegrityError) {
  std::vector<uint8_t> wire = seal_all({some_bytes(50)});
  wire.back() ^= 1;
  PacketReader reader = new_reader();
  Buffer in{1 << 20};
  append(in, wire);
  append_what_hides_faults(in, GetParam());
  const auto opened = reader.next(in);
  ASSERT_FALSE(opened.has_value());
  EXPECT_EQ(opened.error().code, ErrorCode::kIntegrity);
}

TEST_P(Conformance, C2_NothingOfAForgedPacketIsLeft) {
  const Suite suite = GetParam();
  std::vector<uint8_t> wire = seal_all({some_bytes(200)});
  wire.back() ^= 1;
  const std::unique_ptr<Opener> opener = suite.opener(suite_keys(suite));
  const MutBytes packet = MutBytes(wire).first(wire.size() - opener->framing().tag);
  opener->open_length(0, packet.first(opener->framing().head));
  ASSERT_FALSE(opener->open(0, packet, Bytes(wire).subspan(packet.size())));
  EXPECT_TRUE(std::ranges::all_of(packet, [](uint8_t b) { return b == 0; }));
}

TEST_P(Conformance, C12_TruncatedPacketIsWaitedForAtEveryLength) {
  const std::vector<uint8_t> payload = some_bytes(70);
  const std::vector<uint8_t> wire = seal_all({payload});
  for (size_t size = 0; size < wire.size(); size++) {
    PacketReader reader = new_reader();
    Buffer in{kMaxWireSize};
    append(in, Bytes(wire).first(size));
    for (int stall = 0; stall < 3; stall++) {
      const auto waiting = reader.next(in);
      ASSERT_TRUE(waiting.has_value() && !waiting->has_value()) << size;
    }
    append(in, Bytes(wire).subspan(size));
    const auto opened = reader.next(in);
    ASSERT_TRUE(opened.has_value() && opened->has_value()) << size;
    EXPECT_EQ(to_vector((*opened)->payload), payload);
    EXPECT_EQ((*opened)->wire_size, wire.size());
  }
}

TEST_P(Conformance, C11_AnyChunkingGivesTheSamePackets) {
  std::vector<std::vector<uint8_t>> payloads;
  for (uint32_t size : {1, 2, 11, 12, 13, 15, 16, 17, 31, 64, 200, 1000, 5000, 33000}) {
    payloads.push_back(some_bytes(size, size));
  }
  const std::vector<uint8_t> wire = seal_all(payloads);
  for (size_t chunk :
       {size_t{1}, size_t{3}, size_t{15}, size_t{16}, size_t{17}, size_t{19}, size_t{4093}, wire.size()}) {
    ASSERT_EQ(open_all(wire, chunk), payloads) << "in pieces of " << chunk;
  }
}

TEST_P(Conformance, C11_EverySplitPointGivesTheSamePackets) {
  const std::vector<std::vector<uint8_t>> payloads = {some_bytes(17, 1), some_bytes(1, 2), some_bytes(80, 3)};
  const std::vector<uint8_t> wire = seal_all(payloads);
  for (size_t split = 1; split < wire.size(); split++) ASSERT_EQ(open_all(wire, split), payloads) << split;
}

TEST_P(Conformance, C12_StallAfter5AndAfter11More) {
  const std::vector<uint8_t> payload = some_bytes(300);
  const std::vector<uint8_t> wire = seal_all({payload});
  PacketReader reader = new_reader();
  Buffer in{kMaxWireSize};
  Bytes rest = wire;
  for (size_t piece : {size_t{5}, size_t{11}}) {
    append(in, rest.first(piece));
    rest = rest.subspan(piece);
    for (int tick = 0; tick < 100; tick++) ASSERT_FALSE(reader.next(in).value().has_value());
  }
  append(in, rest);
  const auto opened = reader.next(in);
  ASSERT_TRUE(opened.has_value() && opened->has_value());
  EXPECT_EQ(to_vector((*opened)->payload), payload);
}

TEST_P(Conformance, C13_WrongSequenceNumberIsRefused) {
  const std::vector<uint8_t> payload = some_bytes(50);
  std::vector<uint8_t> wire = seal_all({payload});
  if (!GetParam().is_gcm()) {
    wire.insert(wire.end(), filler().begin(), filler().end());
    for (uint32_t wrong : {1u, 255u, 0x01000000u, 0xffffffffu}) expect_refused(wire, wrong);
    return;
  }
  // C8: AES-GCM counts by itself, and must not care.
  PacketReader reader = new_reader(0x12345678);
  Buffer in{kMaxWireSize};
  append(in, wire);
  EXPECT_EQ(to_vector(reader.next(in).value().value().payload), payload);
}

TEST_P(Conformance, C13_SequenceNumberIs32BitsAndWraps) {
  Link link(GetParam(), 0xfffffffe);
  for (uint32_t sequence : {0xfffffffeu, 0xffffffffu, 0u, 1u}) {
    const std::vector<uint8_t> payload = some_bytes(40, sequence);
    EXPECT_EQ(link.writer.sequence(), sequence);
    link.send(payload);
    EXPECT_EQ(link.receive(), payload);
  }
  EXPECT_EQ(link.reader.sequence(), 2u);
}

TEST_P(Conformance, LostReorderedAndReplayedPacketsAreRefused) {
  const size_t first = seal_all({some_bytes(50, 1)}).size();
  const std::vector<uint8_t> wire = seal_all({some_bytes(50, 1), some_bytes(50, 2)});
  std::vector<uint8_t> lost(wire.begin() + first, wire.end());
  lost.insert(lost.end(), filler().begin(), filler().end());
  expect_refused(lost);

  std::vector<uint8_t> replayed(wire.begin(), wire.begin() + first);
  replayed.insert(replayed.end(), wire.begin(), wire.begin() + first);
  replayed.insert(replayed.end(), filler().begin(), filler().end());
  PacketReader reader = new_reader();
  Buffer in{1 << 20};
  append(in, replayed);
  ASSERT_TRUE(reader.next(in).value().has_value());
  EXPECT_FALSE(reader.next(in).has_value());
}

TEST_P(Conformance, OtherKeysAreRefused) {
  std::vector<uint8_t> wire = seal_all({some_bytes(50)});
  wire.insert(wire.end(), filler().begin(), filler().end());
  for (uint8_t salt = 1; salt < 20; salt++) expect_refused(wire, 0, salt);
}

TEST_P(Conformance, C5_PacketLengthObeysTheModulusOfItsLayout) {
  const Suite suite = GetParam();
  const size_t block = suite.is("chacha20-poly1305@openssh.com") ? 8 : 16;
  Link link(suite);
  const std::unique_ptr<Opener> opener = suite.opener(suite_keys(suite));
  for (uint32_t payload = 1; payload < 100; payload++) {
    const size_t before = link.wire.size();
    link.send(some_bytes(payload));
    std::vector<uint8_t> sent = to_vector(link.wire.data().subspan(before));
    const MutBytes packet = MutBytes(sent).first(sent.size() - opener->framing().tag);
    if (!suite.is("chacha20-poly1305@openssh.com") && !suite.is_mte()) {
      EXPECT_EQ(load_be32(packet.data()), packet.size() - 4) << "the length stays in clear";
    }
    const uint32_t length = opener->open_length(payload - 1, packet.first(opener->framing().head));
    EXPECT_EQ((suite.is_mte() ? 4 + length : length) % block, 0u);
    EXPECT_EQ(length, packet.size() - 4);
    EXPECT_TRUE(opener->open(payload - 1, packet, Bytes(sent).subspan(packet.size())));
  }
}

// Bytes of the next epoch may already lie in the buffer when NEWKEYS is read.
TEST_P(Conformance, KeysChangeExactlyBetweenTwoPackets) {
  const Suite suite = GetParam();
  CountingRandom padding;
  PacketWriter writer(padding);
  PacketReader reader;
  Buffer wire{1 << 20};
  for (uint8_t epoch = 0; epoch < 4; epoch++) {
    write_packet(writer, wire, some_bytes(30, epoch));
    writer.set_sealer(suite.sealer(suite_keys(suite, epoch)));
  }
  for (uint8_t epoch = 0; epoch < 4; epoch++) {
    const auto opened = reader.next(wire);
    ASSERT_TRUE(opened.has_value() && opened->has_value()) << reader.fault_detail();
    EXPECT_EQ((*opened)->sequence, epoch) << "sequence numbers run on across key changes";
    reader.set_opener(suite.opener(suite_keys(suite, epoch)));
    EXPECT_EQ(to_vector((*opened)->payload), some_bytes(30, epoch));
  }
}

INSTANTIATE_TEST_SUITE_P(Packet, Conformance, ::testing::ValuesIn(all_suites()), suite_param_name);

}  // namespace
}  // namespace plumb::testing
