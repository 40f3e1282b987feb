// AES-CTR by AES-NI between the rounds of SHA-256 by the SHA extensions. Sixteen times four SHA rounds, each of which
// waits eight cycles for the one before, and beside each one AES round of four blocks.
#include "ciphers/aes/aes_wide.h"
#include "ciphers/etm/ctr_sha256_kernel.h"
#include "ciphers/mac/sha256_rounds_shani.h"

namespace plumb {
namespace {

using W = Wide128;
using Key = WideAesKey<W>;
static_assert(sizeof(Key) <= sizeof(CtrSha256Key));

constexpr size_t kAesBlocks = 4;  // as many bytes as a block of SHA-256

inline W::V plus(W::V number, uint32_t n) { return W::add_numbers(number, W::in_each_lane(n)); }

template <uint32_t rounds>
inline void crypt_and_hash(const Key* key, uint8_t* counter, uint8_t* data, uint32_t* hash, const uint8_t* message,
                           size_t count) {
  Sha256State state = sha_load_state(hash);
  W::V number = W::byte_swap(W::load(counter));
  for (; count > 0; count--, message += 64, data += 64) {
    const Sha256State before = state;
    __m128i word[4];
    sha_load_block(word, message);
    W::V block[kAesBlocks];
#pragma GCC unroll 16
    for (uint32_t r = 0; r < 16; r++) {
      sha_four_rounds(state, word, static_cast<int>(r));
      if (r == 0) {
#pragma GCC unroll 4
        for (uint32_t j = 0; j < kAesBlocks; j++) block[j] = W::add(W::byte_swap(plus(number, j)), key->round_key[0]);
        number = plus(number, kAesBlocks);
      } else if (r < rounds) {
        aes_round<W, kAesBlocks>(block, key->round_key[r]);
      } else if (r == rounds) {
#pragma GCC unroll 4
        for (size_t j = 0; j < kAesBlocks; j++) {
          uint8_t* here = data + 16 * j;
          W::store(here, aes_last_round<W>(block[j], key->round_key[rounds], W::load(here)));
        }
      }
    }
    sha_add(state, before);
  }
  sha_store_state(hash, state);
  W::store(counter, W::byte_swap(number));
}

void expand_key(CtrSha256Key* expanded, const uint8_t* key, size_t key_size) noexcept {
  expand_aes_key(reinterpret_cast<Key*>(expanded->bytes), key, key_size);
}

void crypt_and_hash_any(const CtrSha256Key* expanded, uint8_t* counter, uint8_t* data, uint32_t* hash,
                        const uint8_t* message, size_t count) noexcept {
  const Key* key = reinterpret_cast<const Key*>(expanded->bytes);
  if (key->rounds == 10) return crypt_and_hash<10>(key, counter, data, hash, message, count);
  if (key->rounds == 12) return crypt_and_hash<12>(key, counter, data, hash, message, count);
  crypt_and_hash<14>(key, counter, data, hash, message, count);
}

}  // namespace

constinit const CtrSha256Kernel kCtrSha256Shani = {
    .name = "aesni+shani",
    .needs = {CpuFeature::kAesni, CpuFeature::kShaNi, CpuFeature::kSse41, CpuFeature::kSsse3},
    .expand_key = expand_key,
    .crypt_and_hash = crypt_and_hash_any};

}  // namespace plumb
