// The faulty sealers themselves: with every mistake off they are the right construction, with one on they differ where
// the mistake is, and all of dartssh2's together give the packet that its old code gave.
#include "interop/faults.h"

#include <gtest/gtest.h>

#include <regex>
#include <set>

#include "core/encoding.h"
#include "core/endian.h"
#include "interop/faulty_chacha.h"
#include "interop/faulty_ctr_hmac.h"
#include "interop/faulty_gcm.h"
#include "interop/faulty_kex.h"
#include "kex/derive.h"
#include "packet/cipher_suite.h"
#include "packet/padding.h"

namespace plumb {
namespace {

DirectionKeys counting_keys(const CipherSpec& cipher, const MacSpec* mac) {
  DirectionKeys keys{SecretBytes(cipher.iv_size), SecretBytes(cipher.key_size), SecretBytes(mac ? mac->key_size : 0)};
  uint8_t next = 0;
  for (SecretBytes* part : {&keys.key, &keys.iv, &keys.mac_key}) {
    for (uint8_t& byte : part->bytes()) byte = next++;
  }
  return keys;
}

/// A framed packet with a payload of `size` counting bytes, and its tag behind it.
std::vector<uint8_t> sealed(Sealer& sealer, uint32_t sequence, size_t size) {
  const Framing framing = sealer.framing();
  const size_t padding = padding_length(framing, size);
  std::vector<uint8_t> packet(5 + size + padding + framing.tag);
  store_be32(packet.data(), static_cast<uint32_t>(1 + size + padding));
  packet[4] = static_cast<uint8_t>(padding);
  for (size_t i = 0; i < size + padding; ++i) packet[5 + i] = static_cast<uint8_t>(i);
  const MutBytes all(packet);
  sealer.seal(sequence, all.first(packet.size() - framing.tag), all.last(framing.tag));
  return packet;
}

/// Whether `faulty` gives the same first four packets as the right sealer.
bool same_as_right(Sealer& faulty, const CipherSpec& cipher, const MacSpec* mac) {
  const DirectionKeys keys = counting_keys(cipher, mac);
  const auto right = make_sealer(cipher, mac, keys, host_kernels());
  for (uint32_t sequence : {3u, 4u, 5u, 6u}) {
    if (sealed(faulty, sequence, 17 + sequence) != sealed(*right, sequence, 17 + sequence)) return false;
  }
  return true;
}

TEST(FaultySealers, WithEveryMistakeOffAreTheRightConstruction) {
  for (const CipherSpec& cipher : cipher_specs()) {
    for (const MacSpec& mac : mac_specs()) {
      if (!cipher.aead && !(cipher.name.ends_with("-ctr") && mac.hash)) continue;  // nothing faulty is made of it
      const MacSpec* const used = cipher.aead ? nullptr : &mac;
      const DirectionKeys keys = counting_keys(cipher, used);
      std::unique_ptr<Sealer> faulty;
      if (cipher.name.starts_with("chacha20")) faulty = make_faulty_chacha<{}>(cipher, used, keys, host_kernels());
      if (cipher.name.find("gcm") != std::string::npos)
        faulty = make_faulty_gcm<{}>(cipher, used, keys, host_kernels());
      if (!cipher.aead) faulty = make_faulty_ctr_hmac<{}>(cipher, used, keys, host_kernels());
      ASSERT_TRUE(faulty) << cipher.name;
      EXPECT_TRUE(same_as_right(*faulty, cipher, used)) << cipher.name << " " << mac.name;
    }
  }
}

TEST(FaultySealers, OfTheTableDifferFromTheRightConstruction) {
  for (const Fault& fault : faults()) {
    if (fault.hooks.make_sealer == nullptr) continue;
    const CipherSpec* const cipher = find_cipher(fault.cipher);
    const MacSpec* const mac = find_mac(fault.mac);
    ASSERT_NE(cipher, nullptr) << fault.name;
    ASSERT_EQ(mac == nullptr, cipher->aead) << fault.name;
    const DirectionKeys keys = counting_keys(*cipher, mac);
    const auto faulty = fault.hooks.make_sealer(*cipher, mac, keys, host_kernels());
    EXPECT_FALSE(same_as_right(*faulty, *cipher, mac)) << fault.name;
  }
}

// Made by an independent implementation of dartssh2's code before its PR #217: key 00..3f, sequence number 3.
TEST(FaultySealers, C1DartsshBeforeGivesItsOldPacket) {
  const CipherSpec* const cipher = find_cipher("chacha20-poly1305@openssh.com");
  const DirectionKeys keys = counting_keys(*cipher, nullptr);
  const auto faulty = find_fault("dartssh2-before")->hooks.make_sealer(*cipher, nullptr, keys, host_kernels());
  auto packet = from_hex("00000010 04 68656c6c6f20776f726c64 00010203").value();
  std::vector<uint8_t> tag(16);
  faulty->seal(3, packet, tag);
  EXPECT_EQ(to_hex(packet), "697a41e8cae68c6a5b8f2426597ec3bd370ea43d");
  EXPECT_EQ(to_hex(tag), "7083d6efd2e7af61fc90dc14004ec17a");
}

TEST(FaultySealers, C1LittleEndianNoncesOfEightAndTwelveBytesAreOneStream) {
  const CipherSpec* const cipher = find_cipher("chacha20-poly1305@openssh.com");
  const DirectionKeys keys = counting_keys(*cipher, nullptr);
  const auto eight = make_faulty_chacha<{.nonce = NonceForm::kLe64}>(*cipher, nullptr, keys, host_kernels());
  const auto twelve = make_faulty_chacha<{.nonce = NonceForm::kIetf12WithLe32}>(*cipher, nullptr, keys, host_kernels());
  for (uint32_t sequence : {0u, 1u, 0x01020304u}) {
    EXPECT_EQ(sealed(*eight, sequence, 700), sealed(*twelve, sequence, 700));
  }
}

TEST(FaultyKex, KAsStringDiffersWhereTheTopBitIsSetAndWhereZerosLead) {
  const auto encodings = [](std::string_view hex) {
    const std::vector<uint8_t> value = from_hex(hex).value();
    const SharedSecret secret{SecretBytes(Bytes(value))};
    return std::array{to_hex(secret.encode().bytes()), to_hex(encode_k_as_string(secret).bytes()),
                      to_hex(encode_k_with_leading_zeros(secret).bytes())};
  };
  const std::string rest(60, '1');
  EXPECT_EQ(encodings("7f11" + rest),
            (std::array{"000000207f11" + rest, "000000207f11" + rest, "000000207f11" + rest}));
  EXPECT_EQ(encodings("8011" + rest),
            (std::array{"00000021008011" + rest, "000000208011" + rest, "00000021008011" + rest}));
  EXPECT_EQ(encodings("0011" + rest), (std::array{"0000001f11" + rest, "000000200011" + rest, "000000200011" + rest}));
  EXPECT_EQ(encodings("0081" + rest),
            (std::array{"000000200081" + rest, "000000200081" + rest, "000000200081" + rest}));
}

TEST(FaultyKex, DerivationFaultsTouchOneDirection) {
  const std::string rest(60, '1');
  const auto k = from_hex("00000021 00 8011" + rest).value();
  const auto h = from_hex(std::string(64, '2')).value();
  const auto id = from_hex(std::string(64, '3')).value();
  for (auto* derive : {derive_from_k_as_string, derive_without_extension, derive_with_new_session_id}) {
    for (char letter : std::string("ABCDEF")) {
      const bool same = to_hex(derive(HashId::kSha256, k, h, letter, id, 64).bytes()) ==
                        to_hex(derive_key(HashId::kSha256, k, h, letter, id, 64).bytes());
      EXPECT_EQ(same, letter == 'B' || letter == 'D' || letter == 'F') << letter;
    }
  }
}

TEST(FaultsTable, IsWellFormed) {
  std::set<std::string_view> names;
  for (const Fault& fault : faults()) {
    EXPECT_TRUE(names.insert(fault.name).second) << fault.name;
    EXPECT_EQ(find_fault(fault.name), &fault);
    EXPECT_FALSE(fault.summary.empty() || fault.layer.empty() || fault.shows.empty() || fault.source.empty())
        << fault.name;
    EXPECT_NO_THROW(std::regex(std::string(fault.expected.pattern))) << fault.name;
    EXPECT_EQ(fault.rekey_bytes > 0, fault.max_exchanges > 0) << fault.name;
    EXPECT_GE(fault.attempts, 1u) << fault.name;
  }
  EXPECT_EQ(find_fault("keys"), nullptr);
}

}  // namespace
}  // namespace plumb
