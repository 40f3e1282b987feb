// AES-GCM by AES-NI and PCLMULQDQ. Eight blocks of CTR run beside the GHASH of eight blocks of ciphertext: when opening
// those same blocks, when sealing the eight before, which are done by then. Each eight blocks are reduced once, by
// means of stored powers of H. A packet of up to 128 bytes with a short AAD is reduced once in all.
//
// Registers in the main loop: 8 blocks, 3 sums, the block being hashed and its fold, the byte-swap mask; round keys and
// powers are memory operands.
#include <immintrin.h>

#include "ciphers/aes/aes_rounds_aesni.h"
#include "ciphers/gcm/gcm_kernel.h"
#include "ciphers/ghash/ghash_pclmul.h"

namespace plumb {
namespace {

constexpr size_t kBatch = 8;
constexpr size_t kBatchBytes = 16 * kBatch;
constexpr size_t kPowers = kBatch + 2;  // a short packet: one block of AAD, eight of data, the lengths

struct Key {
  AesniKey aes;
  GhashPower powers[kPowers];  ///< powers[i] = H^(i+1)
};
static_assert(sizeof(Key) <= kGcmKeyStorage);

enum class Direction { kSeal, kOpen };

/// `size` bytes, 0 to 16, and zeros.
inline __m128i load_part(const uint8_t* p, size_t size) {
  uint8_t block[16] = {};
  __builtin_memcpy(block, p, size);
  return load128(block);
}

/// y after `size` bytes more, padded with zeros to whole blocks.
inline __m128i absorb(const Key* key, __m128i y, const uint8_t* data, size_t size) {
  while (size > 0) {
    const size_t blocks = size >= kBatchBytes ? kBatch : (size + 15) / 16;
    GhashSum sum = {_mm_setzero_si128(), _mm_setzero_si128(), _mm_setzero_si128()};
    for (size_t left = blocks; left > 0; left--) {
      const size_t here = size < 16 ? size : 16;
      const __m128i block = byte_swap(here == 16 ? load128(data) : load_part(data, here));
      ghash_add(&sum, left == blocks ? _mm_xor_si128(block, y) : block, &key->powers[left - 1]);
      data += here;
      size -= here;
    }
    y = ghash_reduce(sum);
  }
  return y;
}

/// Counter blocks `next`, `next` + 1, … in the cipher's byte order; moves `next` on.
inline void counter_blocks(__m128i b[kBatch], __m128i* next) {
#pragma GCC unroll 8
  for (size_t j = 0; j < kBatch; j++) {
    b[j] = byte_swap(*next);
    *next = _mm_add_epi32(*next, _mm_set_epi32(0, 0, 0, 1));
  }
}

inline void xor_data(const __m128i b[kBatch], uint8_t* data) {
#pragma GCC unroll 8
  for (size_t j = 0; j < kBatch; j++) store128(data + 16 * j, _mm_xor_si128(b[j], load128(data + 16 * j)));
}

/// One batch of CTR at `data` beside the GHASH of one batch at `hashed`. Returns the new y. The block that waits for
/// the old y is multiplied last.
inline __m128i crypt_and_hash(const Key* key, __m128i y, __m128i* next, uint8_t* data, const uint8_t* hashed) {
  __m128i b[kBatch];
  counter_blocks(b, next);
  xor_round_key(b, key->aes.round_key[0]);
  one_round(b, key->aes.round_key[1]);
  GhashSum sum = ghash_product(byte_swap(load128(hashed + 16)), &key->powers[kBatch - 2]);
#pragma GCC unroll 6
  for (size_t j = 2; j < kBatch; j++) {
    one_round(b, key->aes.round_key[j]);
    ghash_add(&sum, byte_swap(load128(hashed + 16 * j)), &key->powers[kBatch - 1 - j]);
  }
  one_round(b, key->aes.round_key[8]);
  ghash_add(&sum, _mm_xor_si128(y, byte_swap(load128(hashed))), &key->powers[kBatch - 1]);
  one_round(b, key->aes.round_key[9]);
  y = ghash_reduce(sum);
  finish_rounds(&key->aes, b);
  xor_data(b, data);
  return y;
}

/// The last `size` bytes, 0 to 128, the lengths, and the end of the hash: `sum` holds what comes before, `blocks` + 1
/// powers up.
template <Direction direction>
inline __m128i finish(const Key* key, GhashSum sum, __m128i y, __m128i next, uint8_t* data, size_t size,
                      __m128i lengths) {
  size_t power = (size + 15) / 16;
  if (power > 0) {
    __m128i b[kBatch];
    counter_blocks(b, &next);
    encrypt_8_blocks(&key->aes, b);
#pragma GCC unroll 8
    for (size_t j = 0; j < kBatch; j++) {
      if (size == 0) break;
      const size_t here = size < 16 ? size : 16;
      const __m128i in = here == 16 ? load128(data) : load_part(data, here);
      __m128i out = _mm_xor_si128(in, b[j]);
      if (here == 16) {
        store128(data, out);
      } else {
        uint8_t part[16];
        store128(part, out);
        __builtin_memcpy(data, part, here);
        out = load_part(part, here);
      }
      const __m128i hashed = byte_swap(direction == Direction::kSeal ? out : in);
      ghash_add(&sum, _mm_xor_si128(hashed, y), &key->powers[power--]);
      y = _mm_setzero_si128();
      data += here;
      size -= here;
    }
  }
  ghash_add(&sum, _mm_xor_si128(lengths, y), &key->powers[0]);
  return ghash_reduce(sum);
}

template <Direction direction>
inline void run(const GcmKey* opaque, const uint8_t* nonce, const uint8_t* aad, size_t aad_size, uint8_t* data,
                size_t size, uint8_t* tag) {
  const Key* key = reinterpret_cast<const Key*>(opaque->storage);
  const __m128i lengths = _mm_set_epi64x(static_cast<long long>(8 * aad_size), static_cast<long long>(8 * size));
  __m128i next = byte_swap(_mm_insert_epi16(load_part(nonce, 12), 0x0100, 7));  // nonce, then 1, big-endian
  const __m128i mask = encrypt_block(&key->aes, byte_swap(next));
  next = _mm_add_epi32(next, _mm_set_epi32(0, 0, 0, 1));

  const __m128i zero = _mm_setzero_si128();
  GhashSum sum = {zero, zero, zero};
  __m128i y = zero;
  if (size <= kBatchBytes && aad_size <= 16) {
    if (aad_size > 0) sum = ghash_product(byte_swap(load_part(aad, aad_size)), &key->powers[(size + 15) / 16 + 1]);
  } else {
    y = absorb(key, y, aad, aad_size);
    if (direction == Direction::kSeal && size >= kBatchBytes) {
      __m128i b[kBatch];
      counter_blocks(b, &next);
      encrypt_8_blocks(&key->aes, b);
      xor_data(b, data);
      data += kBatchBytes;
      size -= kBatchBytes;
      for (; size >= kBatchBytes; size -= kBatchBytes, data += kBatchBytes) {
        y = crypt_and_hash(key, y, &next, data, data - kBatchBytes);
      }
      y = absorb(key, y, data - kBatchBytes, kBatchBytes);
    }
    if (direction == Direction::kOpen) {
      for (; size >= kBatchBytes; size -= kBatchBytes, data += kBatchBytes) {
        y = crypt_and_hash(key, y, &next, data, data);
      }
    }
  }
  y = finish<direction>(key, sum, y, next, data, size, lengths);
  store128(tag, _mm_xor_si128(byte_swap(y), mask));
}

void expand_key(GcmKey* opaque, const uint8_t* user_key, size_t key_size) noexcept {
  Key* key = reinterpret_cast<Key*>(opaque->storage);
  expand_aes_key(&key->aes, user_key, key_size);
  ghash_powers(key->powers, kPowers, byte_swap(encrypt_block(&key->aes, _mm_setzero_si128())));
}

void seal(const GcmKey* key, const uint8_t* nonce, const uint8_t* aad, size_t aad_size, uint8_t* data, size_t size,
          uint8_t* tag) noexcept {
  run<Direction::kSeal>(key, nonce, aad, aad_size, data, size, tag);
}

void open(const GcmKey* key, const uint8_t* nonce, const uint8_t* aad, size_t aad_size, uint8_t* data, size_t size,
          uint8_t* tag) noexcept {
  run<Direction::kOpen>(key, nonce, aad, aad_size, data, size, tag);
}

}  // namespace

constinit const GcmKernel kGcmAesni = {.name = "aesni",
                                       .needs = {CpuFeature::kAesni, CpuFeature::kPclmul, CpuFeature::kSsse3},
                                       .expand_key = expand_key,
                                       .seal = seal,
                                       .open = open};

}  // namespace plumb
