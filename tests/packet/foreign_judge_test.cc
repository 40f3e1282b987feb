// Every cipher × MAC on every kernel set against a composition from libcrypto's primitives: byte for byte when sealing,
// and opened both ways round.
#include <gtest/gtest.h>

#include "tests/packet/foreign_cipher.h"

namespace plumb::testing {
namespace {

class ForeignJudge : public ::testing::TestWithParam<Suite> {
 protected:
  static std::vector<size_t> sizes() {
    std::vector<size_t> all;
    for (size_t size = 1; size <= 300; size++) all.push_back(size);
    for (size_t size : {1000, 1024, 4091, 4096, 4107, 16384, 32777, 35000, 70000}) all.push_back(size);
    return all;
  }

  /// Sends every size from `sealer` to `opener`, with sequence numbers that wrap on the way.
  static void expect_agreement(std::unique_ptr<Sealer> sealer, std::unique_ptr<Opener> opener) {
    constexpr uint32_t kFirst = 0xffffff80;
    CountingRandom padding;
    PacketWriter writer(padding, kFirst);
    PacketReader reader(kFirst);
    writer.set_sealer(std::move(sealer));
    reader.set_opener(std::move(opener));
    Buffer wire{1 << 20};
    for (size_t size : sizes()) {
      const std::vector<uint8_t> payload = some_bytes(size, static_cast<uint32_t>(size));
      write_packet(writer, wire, payload);
      const auto opened = reader.next(wire);
      ASSERT_TRUE(opened.has_value()) << size << ": " << opened.error().text << " " << reader.fault_detail();
      ASSERT_TRUE(opened->has_value()) << size;
      ASSERT_EQ(to_vector((*opened)->payload), payload);
    }
  }
};

TEST_P(ForeignJudge, C1_SealsTheSameBytes) {
  const auto [cipher, mac] = GetParam();
  const DirectionKeys keys = suite_keys(GetParam());
  for (const KernelSet& kernels : all_kernel_sets(host_cpu())) {
    const auto ours = make_sealer(*cipher, mac, keys, kernels);
    const auto theirs = make_foreign_sealer(GetParam(), keys);
    EXPECT_EQ(ours->framing().tag, theirs->framing().tag);
    uint32_t sequence = 0xffffff80;
    for (size_t padded = ours->framing().block; padded <= 2048; padded += ours->framing().block) {
      const std::vector<uint8_t> packet = some_bytes(padded + (theirs->framing().length_is_aad ? 4 : 0));
      ASSERT_EQ(sealed_by(*ours, sequence, packet), sealed_by(*theirs, sequence, packet))
          << padded << " " << to_string(kernels);
      sequence++;
    }
  }
}

TEST_P(ForeignJudge, C1_ForeignOpensOurs) {
  const auto [cipher, mac] = GetParam();
  const DirectionKeys keys = suite_keys(GetParam());
  for (const KernelSet& kernels : all_kernel_sets(host_cpu())) {
    expect_agreement(make_sealer(*cipher, mac, keys, kernels), make_foreign_opener(GetParam(), keys));
  }
}

TEST_P(ForeignJudge, C1_WeOpenForeign) {
  const auto [cipher, mac] = GetParam();
  const DirectionKeys keys = suite_keys(GetParam());
  for (const KernelSet& kernels : all_kernel_sets(host_cpu())) {
    expect_agreement(make_foreign_sealer(GetParam(), keys), make_opener(*cipher, mac, keys, kernels));
  }
}

TEST_P(ForeignJudge, FramingIsTheSpecifications) {
  const Framing ours = GetParam().sealer(suite_keys(GetParam()))->framing();
  const Framing opener = GetParam().opener(suite_keys(GetParam()))->framing();
  const Framing theirs = make_foreign_sealer(GetParam(), suite_keys(GetParam()))->framing();
  for (const Framing& framing : {ours, opener}) {
    EXPECT_EQ(framing.head, theirs.head);
    EXPECT_EQ(framing.block, theirs.block);
    EXPECT_EQ(framing.tag, theirs.tag);
    EXPECT_EQ(framing.length_is_aad, theirs.length_is_aad);
  }
}

INSTANTIATE_TEST_SUITE_P(Packet, ForeignJudge, ::testing::ValuesIn(all_suites()), suite_param_name);

}  // namespace
}  // namespace plumb::testing
