#include "kex/kem.h"

#include <gtest/gtest.h>
#include <openssl/bn.h>

#include <memory>

#include "core/encoding.h"
#include "kex/methods.h"
#include "tests/kex/fixed_random.h"
#include "tests/testing/seeded_random.h"
#include "tests/testing/vector_file.h"

namespace plumb::testing {
namespace {

SharedSecret secret_of(Bytes value, SharedSecret::Encoding encoding = SharedSecret::Encoding::kMpint) {
  return {SecretBytes(value), encoding};
}

/// libcrypto's own writer of SSH's mpint: BN_bn2mpi has the same format.
std::string libcrypto_mpint(Bytes value) {
  const std::unique_ptr<BIGNUM, void (*)(BIGNUM*)> number(
      BN_bin2bn(value.data(), static_cast<int>(value.size()), nullptr), BN_free);
  std::vector<uint8_t> out(static_cast<size_t>(BN_bn2mpi(number.get(), nullptr)));
  BN_bn2mpi(number.get(), out.data());
  return to_hex(out);
}

std::string encoded(std::string_view hex) { return to_hex(secret_of(from_hex(hex).value()).encode().bytes()); }

// RFC 4251 §5, with its own examples, and RFC 8731 §3.1.
TEST(SharedSecret, MpintExamples) {
  EXPECT_EQ(encoded("09a378f9b2e332a7"), "0000000809a378f9b2e332a7");
  EXPECT_EQ(encoded("80"), "000000020080");
  EXPECT_EQ(encoded("0080"), "000000020080");
  EXPECT_EQ(encoded("007f"), "000000017f");
  EXPECT_EQ(encoded("000001"), "0000000101");
  EXPECT_EQ(encoded("0000"), "00000000");
  EXPECT_EQ(encoded(""), "00000000");
}

// C28: a hybrid's K is a string of fixed size, whatever it begins with.
TEST(SharedSecret, C28StringKeepsLeadingZeros) {
  const auto string = [](std::string_view hex) {
    return to_hex(secret_of(from_hex(hex).value(), SharedSecret::Encoding::kString).encode().bytes());
  };
  EXPECT_EQ(string("0000ff"), "000000030000ff");
  EXPECT_EQ(string("80"), "0000000180");
  EXPECT_EQ(string("00"), "0000000100");
}

TEST(SharedSecret, MpintAsLibcryptoWritesIt) {
  SeededRandom random;
  for (size_t size = 1; size <= 66; size++) {
    for (size_t zeros = 0; zeros <= size && zeros <= 4; zeros++) {
      for (const int first : {0x01, 0x7f, 0x80, 0xff}) {
        std::vector<uint8_t> value = random.bytes(size);
        std::fill_n(value.begin(), zeros, 0);
        if (zeros < size) value[zeros] = static_cast<uint8_t>(first);
        EXPECT_EQ(to_hex(secret_of(value).encode().bytes()), libcrypto_mpint(value));
      }
    }
  }
}

// V-22: the rare shapes of K are forced, not hoped for: leading zero bytes, and the top bit behind them.
TEST(SharedSecret, V22LeadingZerosAndTopBitOfRealExchanges) {
  for_each_vector("kex_rare_secrets.txt", [](Vector& v) {
    const KexMethod& method = *find_kex_method(v.text("METHOD"));
    FixedRandom client_random(v.bytes("CLIENT_SECRET"));
    FixedRandom server_random(v.bytes("SERVER_SECRET"));
    const auto client = method.start(client_random);
    const KemResponse server = method.respond(client->public_value(), server_random).value();
    const SharedSecret k = client->finish(server.public_value).value();
    EXPECT_EQ(k.value.size(), 32u);
    EXPECT_EQ(to_hex(k.encode().bytes()), to_hex(v.bytes("K")));
    EXPECT_EQ(to_hex(server.secret.encode().bytes()), to_hex(v.bytes("K")));
  });
}

}  // namespace
}  // namespace plumb::testing
