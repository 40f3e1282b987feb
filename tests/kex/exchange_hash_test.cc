#include "kex/exchange_hash.h"

#include <gtest/gtest.h>

#include <array>

#include "core/encoding.h"
#include "tests/kex/libcrypto_judge.h"
#include "tests/testing/seeded_random.h"

namespace plumb::testing {
namespace {

/// RFC 5656 §4 put together by hand: a four-byte length before every field but K, which is encoded already.
std::vector<uint8_t> composed(HashId hash, const std::array<Bytes, 7>& strings, Bytes k) {
  std::vector<uint8_t> all;
  for (const Bytes s : strings) {
    for (int shift = 24; shift >= 0; shift -= 8) all.push_back(static_cast<uint8_t>(s.size() >> shift));
    all.insert(all.end(), s.begin(), s.end());
  }
  all.insert(all.end(), k.begin(), k.end());
  return libcrypto_digest(hash, all);
}

TEST(ExchangeHash, AsComposedByHand) {
  SeededRandom random;
  const std::string_view client_id = "SSH-2.0-client comment";
  const std::string_view server_id = "SSH-2.0-server";
  for (const HashId hash : {HashId::kSha1, HashId::kSha256, HashId::kSha384, HashId::kSha512}) {
    for (const size_t size : {0, 1, 32, 65, 300, 70000}) {
      const auto client_kexinit = random.bytes(size);
      const auto server_kexinit = random.bytes(size + 1);
      const auto host_key = random.bytes(size / 2 + 3);
      const auto client_value = random.bytes(32);
      const auto server_value = random.bytes(65);
      const auto k = random.bytes(37);
      EXPECT_EQ(to_hex(exchange_hash(hash, {client_id, server_id, client_kexinit, server_kexinit, host_key,
                                            client_value, server_value, k})),
                to_hex(composed(hash,
                                {as_bytes(client_id), as_bytes(server_id), client_kexinit, server_kexinit, host_key,
                                 client_value, server_value},
                                k)));
    }
  }
}

}  // namespace
}  // namespace plumb::testing
