#include "sftp/packet_splitter.h"

#include <gtest/gtest.h>

#include "sftp/messages.h"
#include "sftp/out_queue.h"
#include "tests/testing/seeded_random.h"

namespace plumb::sftp {
namespace {

constexpr std::array<uint8_t, 3> kHandle = {1, 2, 3};

/// What a splitter shows, in whatever pieces: "packet|payload" for each packet.
std::vector<std::string> shown(PacketSplitter::Payload kind, Bytes stream, size_t chunk) {
  PacketSplitter splitter(kind);
  std::vector<std::string> packets;
  while (!stream.empty()) {
    Bytes in = stream.first(std::min(chunk, stream.size()));
    stream = stream.subspan(in.size());
    while (true) {
      const auto piece = splitter.next(in);
      if (!piece) {
        packets.emplace_back(piece.error().text);
        return packets;
      }
      if (!*piece) break;
      if (!(*piece)->packet.empty()) packets.push_back(std::string(as_text((*piece)->packet)) + "|");
      packets.back() += as_text((*piece)->payload);
    }
  }
  return packets;
}

/// Fields and payload of one message, through the queue alone.
template <class M>
std::vector<uint8_t> with_payload(const M& message, Bytes payload) {
  OutQueue queue(1 << 20);
  PayloadPacket packet(queue, {}, message, payload.size());
  std::copy(payload.begin(), payload.end(), packet.second().begin());
  EXPECT_EQ(packet.commit(payload.size()), 0u);
  std::vector<uint8_t> out(queue.size());
  queue.take(out);
  return out;
}

TEST(PacketSplitter, C69ShowsTheSameInAnyChunking) {
  std::vector<uint8_t> stream;
  append_packet(Stat{{1, "a path"}}, stream);
  const auto write = with_payload(Write{.id = 2, .handle = kHandle, .offset = 5}, as_bytes("the payload"));
  stream.insert(stream.end(), write.begin(), write.end());
  append_packet(Close{{3, kHandle}}, stream);
  const auto empty = with_payload(Write{.id = 4, .handle = kHandle, .offset = 5}, {});
  stream.insert(stream.end(), empty.begin(), empty.end());
  append_packet(Stat{{5, ""}}, stream);
  const auto whole = shown(PacketSplitter::Payload::kOfWrite, stream, stream.size());
  ASSERT_EQ(whole.size(), 5u);
  EXPECT_NE(whole[1].find("|the payload"), std::string::npos);
  for (size_t chunk = 1; chunk < stream.size(); chunk++)
    EXPECT_EQ(shown(PacketSplitter::Payload::kOfWrite, stream, chunk), whole) << chunk;
}

TEST(PacketSplitter, ShowsPayloadsWhereTheyLie) {
  const auto data = with_payload(Data{.id = 1}, as_bytes("0123456789"));
  Bytes in = Bytes(data).first(16);
  PacketSplitter splitter(PacketSplitter::Payload::kOfData);
  auto piece = splitter.next(in);
  ASSERT_TRUE(piece && *piece);
  EXPECT_TRUE((*piece)->has_payload);
  EXPECT_EQ((*piece)->payload_left, 10u);
  piece = splitter.next(in);
  ASSERT_TRUE(piece && *piece);
  EXPECT_EQ((*piece)->payload.data(), data.data() + 13);
  EXPECT_EQ((*piece)->payload.size(), 3u);
  EXPECT_EQ((*piece)->payload_left, 7u);
  EXPECT_TRUE((*piece)->has_payload);
  EXPECT_FALSE(*splitter.next(in));
  in = Bytes(data).subspan(16);
  piece = splitter.next(in);
  ASSERT_TRUE(piece && *piece);
  EXPECT_TRUE((*piece)->packet.empty());
  EXPECT_EQ((*piece)->payload.data(), data.data() + 16);
  EXPECT_EQ((*piece)->payload_left, 0u);
}

TEST(PacketSplitter, C71BadLengthsAreRefusedAsSoonAsTheyAreKnown) {
  const auto error = [](std::vector<uint8_t> bytes, PacketSplitter::Payload kind) {
    PacketSplitter splitter(kind);
    Bytes in(bytes);
    const auto piece = splitter.next(in);
    return piece ? std::string(*piece ? "shown" : "waits") : std::string(piece.error().text);
  };
  using enum PacketSplitter::Payload;
  EXPECT_EQ(error({0, 0, 0, 0}, kOfWrite), "the peer sent an SFTP packet without a message");
  EXPECT_EQ(error({0xff, 0xff, 0xff, 0xff}, kOfWrite), "the peer sent an SFTP packet longer than 256 KiB");
  EXPECT_EQ(error({0, 4, 0, 0}, kOfWrite), "waits");
  EXPECT_EQ(error({0, 4, 0, 1}, kOfWrite), "the peer sent an SFTP packet longer than 256 KiB");
  EXPECT_EQ(error({0, 0, 0, 1, 5}, kOfWrite), "shown");
  EXPECT_EQ(error({0, 0, 0, 4, 3, 0, 0, 0}, kOfWrite), "shown");
  // DATA that claims more, and less, than its packet holds.
  const std::string misfit = "the payload of an SFTP message does not fill its packet";
  EXPECT_EQ(error({0, 0, 0, 10, 103, 0, 0, 0, 1, 0, 0, 0, 2}, kOfData), misfit);
  EXPECT_EQ(error({0, 0, 0, 10, 103, 0, 0, 0, 1, 0, 0, 0, 0}, kOfData), misfit);
  EXPECT_EQ(error({0, 0, 0, 22, 6, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 6, 9}, kOfWrite), misfit);
  // Too short to have a payload at all: the parser's affair.
  EXPECT_EQ(error({0, 0, 0, 5, 103, 0, 0, 0, 1}, kOfData), "shown");
  EXPECT_EQ(error({0, 0, 0, 5, 6, 0, 0, 0, 1}, kOfWrite), "shown");
}

TEST(PacketSplitter, ThrowsAwayWhatStandsBehindThePayloadOfAWrite) {
  for (const size_t surplus : {1, 5000}) {
    auto stream = with_payload(Write{.id = 1, .handle = kHandle, .offset = 0, .length = 3}, as_bytes("abc"));
    store_be32(stream.data(), static_cast<uint32_t>(stream.size() - 4 + surplus));
    stream.resize(stream.size() + surplus, 0xee);
    append_packet(Close{{2, kHandle}}, stream);
    const auto whole = shown(PacketSplitter::Payload::kOfWrite, stream, stream.size());
    for (const size_t chunk : {1, 7, 30}) EXPECT_EQ(shown(PacketSplitter::Payload::kOfWrite, stream, chunk), whole);
    EXPECT_EQ(whole.size(), 2u);
  }
}

TEST(PacketSplitter, SurvivesArbitraryBytes) {
  testing::SeededRandom random;
  for (int i = 0; i < 2000; i++) {
    auto bytes = random.bytes(random.below(100));
    if (bytes.size() > 4) std::fill(bytes.begin(), bytes.begin() + 3, uint8_t{0});
    if (bytes.size() > 4 && random.below(2) == 0) bytes[4] = Write::kId;
    const size_t chunk = 1 + random.below(20);
    EXPECT_EQ(shown(PacketSplitter::Payload::kOfWrite, bytes, chunk),
              shown(PacketSplitter::Payload::kOfWrite, bytes, 1000));
  }
}

TEST(PayloadPacket, GoesWhereItWillLeaveAndTheRestIntoTheQueue) {
  OutQueue queue(1 << 20);
  std::vector<uint8_t> space(1000, 0xee);
  PayloadPacket packet(queue, space, Data{.id = 9}, 2000);
  ASSERT_EQ(packet.first().data(), space.data() + 13);
  ASSERT_EQ(packet.first().size(), 987u);
  ASSERT_EQ(packet.second().size(), 1013u);
  std::fill(packet.first().begin(), packet.first().end(), uint8_t{1});
  std::fill(packet.second().begin(), packet.second().end(), uint8_t{2});
  EXPECT_EQ(packet.commit(990), 1000u);
  EXPECT_EQ(load_be32(space.data()), 9u + 990);
  EXPECT_EQ(load_be32(space.data() + 9), 990u);
  EXPECT_EQ(queue.size(), 3u);
  EXPECT_EQ(queue.take(space), 3u);
  EXPECT_EQ(space[2], 2);
  EXPECT_TRUE(queue.empty());
}

TEST(OutQueue, RefusesWhatPassesItsLimit) {
  OutQueue queue(20);
  EXPECT_TRUE(queue.put(Stat{{1, "a"}}));
  EXPECT_FALSE(queue.put(Stat{{1, "a"}}));
  EXPECT_EQ(queue.size(), 14u);
}

}  // namespace
}  // namespace plumb::sftp
