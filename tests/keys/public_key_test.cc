#include "keys/public_key.h"

#include <gtest/gtest.h>

#include <type_traits>

#include "keys/key_type.h"
#include "keys/signature.h"
#include "tests/keys/libcrypto_signer.h"
#include "tests/keys/ssh_blobs.h"
#include "tests/testing/seeded_random.h"

namespace plumb::testing {
namespace {

// Only PublicKey::verify makes a Verified.
static_assert(!std::is_default_constructible_v<Verified>);
static_assert(!std::is_aggregate_v<Verified>);

/// An odd number of exactly `bits` bits.
std::vector<uint8_t> odd_number(size_t bits) {
  std::vector<uint8_t> number((bits + 7) / 8, 0xa5);
  number[0] = static_cast<uint8_t>(1u << ((bits - 1) % 8));
  number.back() |= 1;
  return number;
}

ErrorCode refusal(Bytes blob) {
  const auto key = PublicKey::parse(blob);
  EXPECT_FALSE(key.has_value());
  if (key) return ErrorCode::kUsage;
  EXPECT_STRNE(key.error().text, "");
  return key.error().code;
}

struct NamedBlob {
  std::string_view type;
  std::vector<uint8_t> blob;
};

std::vector<NamedBlob> one_of_each_type() {
  std::vector<NamedBlob> blobs;
  for (const KeyType& type : key_types()) blobs.push_back({type.name, LibcryptoSigner::of_type(type.name).blob()});
  return blobs;
}

TEST(PublicKey, ParsesEachType) {
  for (const auto& [type, blob] : one_of_each_type()) {
    SCOPED_TRACE(type);
    const auto key = PublicKey::parse(blob);
    ASSERT_TRUE(key.has_value()) << key.error().text;
    EXPECT_EQ(key->type(), type);
    EXPECT_EQ(std::vector<uint8_t>(key->blob().begin(), key->blob().end()), blob);
    EXPECT_TRUE(*key == *PublicKey::parse(blob));
    EXPECT_FALSE(algorithms_of_key_type(type).empty());
  }
}

TEST(PublicKey, C48_TruncatedAtEveryLengthAndWithTrailingBytesIsRefused) {
  for (const auto& [type, blob] : one_of_each_type()) {
    SCOPED_TRACE(type);
    for (size_t size = 0; size < blob.size(); size++) {
      const auto key = PublicKey::parse(Bytes(blob).first(size));
      EXPECT_FALSE(key.has_value()) << "first " << size << " bytes";
    }
    EXPECT_EQ(refusal(concat({blob, hex("00")})), ErrorCode::kFormat);
    EXPECT_EQ(refusal(concat({blob, hex("00000000")})), ErrorCode::kFormat);
  }
}

TEST(PublicKey, EveryByteFlippedGivesAnotherKeyOrNone) {
  for (const auto& [type, blob] : one_of_each_type()) {
    SCOPED_TRACE(type);
    const auto original = PublicKey::parse(blob);
    ASSERT_TRUE(original.has_value());
    for (size_t i = 0; i < blob.size(); i++) {
      std::vector<uint8_t> flipped = blob;
      flipped[i] ^= static_cast<uint8_t>(1u << (i % 8));
      const auto key = PublicKey::parse(flipped);
      if (key) {
        EXPECT_FALSE(*key == *original);
        EXPECT_NE(key->fingerprint(), original->fingerprint());
      }
    }
  }
}

TEST(PublicKey, UnknownTypesAreUnsupportedNotMalformed) {
  for (std::string_view type :
       {"ssh-dss", "ecdsa-sha2-nistp192", "ssh-ed448", "rsa-sha2-512", "ssh-rsa-cert-v00@openssh.com", ""}) {
    SCOPED_TRACE(type);
    EXPECT_EQ(refusal(signature_blob(type, hex("00"))), ErrorCode::kUnsupported);
  }
}

TEST(PublicKey, Ed25519IsExactly32Bytes) {
  for (size_t size : {0, 31, 33, 64})
    EXPECT_EQ(refusal(ed25519_blob(std::vector<uint8_t>(size, 1))), ErrorCode::kFormat);
}

TEST(PublicKey, EcdsaIsAnUncompressedPointOnItsCurve) {
  // RFC 6979 A.2.5.
  const auto x = hex("60fed4ba255a9d31c961eb74c6356d68c049b8923b61fa6ce669622e60f29fb6");
  const auto y = hex("7903fe1008b8bc99a41ae9e95628bc64f2f1b20c2d7e9f5177a3c294d4462299");
  const auto point = concat({hex("04"), x, y});
  EXPECT_TRUE(PublicKey::parse(ecdsa_blob(point)).has_value());

  EXPECT_EQ(refusal(ecdsa_blob(point, "nistp384")), ErrorCode::kFormat);
  EXPECT_EQ(refusal(ecdsa_blob(point, "")), ErrorCode::kFormat);
  EXPECT_EQ(refusal(ecdsa_blob(concat({hex("03"), x}))), ErrorCode::kFormat) << "compressed";
  EXPECT_EQ(refusal(ecdsa_blob(concat({hex("07"), x, y}))), ErrorCode::kFormat) << "hybrid";
  EXPECT_EQ(refusal(ecdsa_blob(hex("00"))), ErrorCode::kFormat) << "infinity";
  EXPECT_EQ(refusal(ecdsa_blob(concat({hex("04"), y, x}))), ErrorCode::kFormat) << "off the curve";
  EXPECT_EQ(refusal(ecdsa_blob(std::vector<uint8_t>(65, 0))), ErrorCode::kFormat);
  const auto p = hex("ffffffff00000001000000000000000000000000ffffffffffffffffffffffff");
  EXPECT_EQ(refusal(ecdsa_blob(concat({hex("04"), p, y}))), ErrorCode::kFormat) << "x is not below p";
}

TEST(PublicKey, RsaSizesAndExponents) {
  const auto e = hex("010001");
  EXPECT_TRUE(PublicKey::parse(rsa_blob(e, odd_number(2048))).has_value());
  EXPECT_TRUE(PublicKey::parse(rsa_blob(e, odd_number(16384))).has_value());
  EXPECT_EQ(refusal(rsa_blob(e, odd_number(2047))), ErrorCode::kUnsupported);
  EXPECT_EQ(refusal(rsa_blob(e, odd_number(1024))), ErrorCode::kUnsupported);
  EXPECT_EQ(refusal(rsa_blob(e, odd_number(16385))), ErrorCode::kUnsupported);

  EXPECT_TRUE(PublicKey::parse(rsa_blob(e, odd_number(1024)), {.min_rsa_bits = 1024}).has_value());
  EXPECT_FALSE(PublicKey::parse(rsa_blob(e, odd_number(1023)), {.min_rsa_bits = 0}).has_value()) << "never below 1024";
  EXPECT_FALSE(PublicKey::parse(rsa_blob(e, odd_number(2048)), {.min_rsa_bits = 3072}).has_value());

  EXPECT_TRUE(PublicKey::parse(rsa_blob(hex("03"), odd_number(2048))).has_value());
  EXPECT_TRUE(PublicKey::parse(rsa_blob(odd_number(64), odd_number(2048))).has_value());
  EXPECT_EQ(refusal(rsa_blob(odd_number(65), odd_number(2048))), ErrorCode::kUnsupported);
  for (std::string_view bad : {"", "01", "02", "0100"}) {
    EXPECT_EQ(refusal(rsa_blob(hex(bad), odd_number(2048))), ErrorCode::kFormat) << bad;
  }

  std::vector<uint8_t> even = odd_number(2048);
  even.back() ^= 1;
  EXPECT_EQ(refusal(rsa_blob(e, even)), ErrorCode::kFormat);
  EXPECT_EQ(refusal(rsa_blob(e, {})), ErrorCode::kFormat);

  // A modulus with its top bit set and no zero byte before it is a negative number (RFC 4251 §5).
  const auto negative =
      concat({hex("00000007"), as_bytes("ssh-rsa"), hex("00000003010001 00000100"), odd_number(2048)});
  EXPECT_EQ(refusal(negative), ErrorCode::kFormat);
}

}  // namespace
}  // namespace plumb::testing
