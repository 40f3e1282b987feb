// AES-GCM by VAES and VPCLMULQDQ on 512-bit registers: 32 blocks of CTR beside the GHASH of 32 blocks of ciphertext,
// when opening the same ones, when sealing those before. Karatsuba products: where `vpclmulqdq` takes a port for two
// cycles, three products and a few additions beat four products. One reduction for 32 blocks, and one for all that
// remains at the end, AAD and lengths included.
//
// Counter blocks stay big-endian: while the lowest byte of the counter does not wrap, the next ones are one addition
// away, and the byte shuffle, which would compete with `vaesenc` for its ports, is needed once in eight batches.
//
// Registers in the main loop: 8 for blocks, 3 for sums, 7 for two products and their factors, the byte-swap mask, the
// counter, y; round keys and powers come from memory, one load for eight uses.
#include <immintrin.h>

#include "ciphers/aes/aes_rounds_vaes512.h"
#include "ciphers/gcm/gcm_kernel.h"
#include "ciphers/ghash/ghash_vpclmul512.h"

namespace plumb {
namespace {

constexpr size_t kVectors = 8;
constexpr size_t kBatch = 4 * kVectors;
constexpr size_t kBatchBytes = 16 * kBatch;
constexpr size_t kPowers = kBatch + 4;  // a short packet: one block of AAD, 32 of data, the lengths

struct Key {
  Vaes512Key aes;
  GhashPowers512<kPowers> powers;
};
static_assert(sizeof(Key) <= kGcmKeyStorage);

enum class Direction { kSeal, kOpen };

inline __m512i load512(const void* p) { return _mm512_loadu_si512(p); }

/// One block, the other lanes zero.
inline __m512i load_one(const void* p) { return _mm512_maskz_loadu_epi64(0x03, p); }

/// The bytes of the first `size` bytes, at most 64, of a register.
inline __mmask64 bytes_mask(size_t size) { return _bzhi_u64(~uint64_t{0}, static_cast<uint32_t>(size)); }

/// The product of four blocks, byte-swapped, with their powers, the first being one of `blocks` that remain.
inline GhashSum512 hash_4_blocks(const Key* key, __m512i swapped, size_t blocks) {
  const size_t at = key->powers.at(blocks);
  return ghash_product(swapped, load512(key->powers.power + at), load512(key->powers.folded + at));
}

/// Two of the eight products of a batch: (1, 2) first, which start `sum`, and (7, 0) last, as vector 0 has to wait for
/// `y`.
template <size_t first, size_t second>
inline void hash_pair(const Key* key, GhashSum512* sum, const uint8_t* data, __m512i y) {
  __m512i a = byte_swap(load512(data + 64 * first));
  __m512i b = byte_swap(load512(data + 64 * second));
  if constexpr (second == 0) b = add_to_first(b, y);
  const GhashSum512 product_a = hash_4_blocks(key, a, kBatch - 4 * first);
  const GhashSum512 product_b = hash_4_blocks(key, b, kBatch - 4 * second);
  if constexpr (first == 1) {
    *sum = product_a;
    ghash_add(sum, product_b);
  } else {
    ghash_add(sum, product_a, product_b);
  }
}

struct Counter {
  __m512i big_endian;  ///< counter blocks of the next four blocks
  uint32_t number;     ///< the first of them
};

/// Fills in the block number, big-endian, in the last word of each lane.
inline __m512i numbered(__m512i nonce, uint32_t number) {
  const __m512i numbers = _mm512_add_epi32(_mm512_set1_epi32(static_cast<int>(number)),
                                           _mm512_set_epi32(0, 0, 0, 3, 0, 0, 0, 2, 0, 0, 0, 1, 0, 0, 0, 0));
  return _mm512_mask_blend_epi32(0x8888, nonce, byte_swap(numbers));
}

inline void counter_blocks(__m512i b[kVectors], Counter* counter) {
  const uint32_t low = counter->number & 0xff;
  if (low <= 256 - kBatch) {
#pragma GCC unroll 8
    for (int j = 0; j < int{kVectors}; j++) b[j] = add_big_endian(counter->big_endian, 4 * j);
  } else {
#pragma GCC unroll 8
    for (uint32_t j = 0; j < kVectors; j++) b[j] = numbered(counter->big_endian, counter->number + 4 * j);
  }
  counter->number += kBatch;
  if (low < 256 - kBatch) {
    counter->big_endian = add_big_endian(counter->big_endian, kBatch);
  } else {
    counter->big_endian = numbered(counter->big_endian, counter->number);
  }
}

inline void one_round(__m512i b[kVectors], __m512i key) {
#pragma GCC unroll 8
  for (size_t j = 0; j < kVectors; j++) b[j] = _mm512_aesenc_epi128(b[j], key);
}

inline void last_round(const __m512i b[kVectors], __m512i key, uint8_t* data) {
#pragma GCC unroll 8
  for (size_t j = 0; j < kVectors; j++) {
    const __m512i last = _mm512_xor_si512(key, load512(data + 64 * j));
    _mm512_storeu_si512(data + 64 * j, _mm512_aesenclast_epi128(b[j], last));
  }
}

template <uint32_t rounds, bool hashing>
inline __m512i batch(const Key* key, __m512i y, Counter* counter, uint8_t* data, const uint8_t* hashed) {
  const __m512i* keys = key->aes.round_key;
  asm("" : "+r"(keys));  // keeps the compiler from holding round keys in registers and spilling blocks for them
  __m512i b[kVectors];
  counter_blocks(b, counter);
#pragma GCC unroll 8
  for (size_t j = 0; j < kVectors; j++) b[j] = _mm512_xor_si512(b[j], keys[0]);
  GhashSum512 sum;
  one_round(b, keys[1]);
  if constexpr (hashing) hash_pair<1, 2>(key, &sum, hashed, y);
  one_round(b, keys[2]);
  one_round(b, keys[3]);
  if constexpr (hashing) hash_pair<3, 4>(key, &sum, hashed, y);
  one_round(b, keys[4]);
  one_round(b, keys[5]);
  if constexpr (hashing) hash_pair<5, 6>(key, &sum, hashed, y);
  one_round(b, keys[6]);
  one_round(b, keys[7]);
  if constexpr (hashing) hash_pair<7, 0>(key, &sum, hashed, y);
  one_round(b, keys[8]);
  one_round(b, keys[9]);
  if constexpr (hashing) y = ghash_reduce(sum);
#pragma GCC unroll 4
  for (uint32_t round = 10; round < rounds; round++) one_round(b, keys[round]);
  last_round(b, keys[rounds], data);
  return y;
}

/// Whole batches. Sealing hashes one batch behind and leaves the last one to the end.
template <uint32_t rounds, Direction direction>
inline __m512i batches(const Key* key, __m512i y, Counter* counter, uint8_t* data, size_t count) {
  if constexpr (direction == Direction::kSeal) {
    batch<rounds, false>(key, y, counter, data, nullptr);
    for (size_t i = 1; i < count; i++) {
      data += kBatchBytes;
      y = batch<rounds, true>(key, y, counter, data, data - kBatchBytes);
    }
  } else {
    for (size_t i = 0; i < count; i++) {
      y = batch<rounds, true>(key, y, counter, data, data);
      data += kBatchBytes;
    }
  }
  return y;
}

inline __m512i hash_batch(const Key* key, __m512i y, const uint8_t* data) {
  GhashSum512 sum;
  hash_pair<1, 2>(key, &sum, data, y);
  hash_pair<3, 4>(key, &sum, data, y);
  hash_pair<5, 6>(key, &sum, data, y);
  hash_pair<7, 0>(key, &sum, data, y);
  return ghash_reduce(sum);
}

/// y after `size` bytes of AAD, padded with zeros to whole blocks.
inline __m512i absorb(const Key* key, __m512i y, const uint8_t* data, size_t size) {
  for (; size >= kBatchBytes; size -= kBatchBytes, data += kBatchBytes) y = hash_batch(key, y, data);
  if (size == 0) return y;
  GhashSum512 sum = {};
  for (size_t blocks = (size + 15) / 16;; blocks -= 4, size -= 64, data += 64) {
    const __m512i in = byte_swap(_mm512_maskz_loadu_epi8(bytes_mask(size < 64 ? size : 64), data));
    ghash_add(&sum, hash_4_blocks(key, add_to_first(in, y), blocks));
    y = _mm512_setzero_si512();
    if (size <= 64) return ghash_reduce(sum);
  }
}

template <Direction direction>
inline void run(const GcmKey* opaque, const uint8_t* nonce, const uint8_t* aad, size_t aad_size, uint8_t* data,
                size_t size, uint8_t* tag) {
  const Key* key = reinterpret_cast<const Key*>(opaque->storage);
  const __m512i lengths =
      _mm512_set_epi64(0, 0, 0, 0, 0, 0, static_cast<long long>(8 * aad_size), static_cast<long long>(8 * size));
  const __m512i nonces = _mm512_broadcast_i32x4(_mm_maskz_loadu_epi8(0xfff, nonce));
  const __m512i lanes = _mm512_or_si512(nonces, _mm512_set4_epi32(0x01000000, 0, 0, 0));  // J0, four times
  Counter counter = {numbered(lanes, 2), 2};

  // What the last, shorter part multiplies besides data: AAD if it is short, and the lengths.
  GhashSum512 sum = {};
  __m512i y = _mm512_setzero_si512();
  if (size < kBatchBytes && aad_size <= 16) {
    const __m512i block = byte_swap(_mm512_maskz_loadu_epi8(bytes_mask(aad_size), aad));
    const size_t at = key->powers.at((size + 15) / 16 + 2);
    sum = ghash_product(block, load_one(key->powers.power + at), load_one(key->powers.folded + at));
  } else {
    y = absorb(key, y, aad, aad_size);
    const size_t count = size / kBatchBytes;
    if (count > 0) {
      if (key->aes.rounds == 10) y = batches<10, direction>(key, y, &counter, data, count);
      if (key->aes.rounds == 12) y = batches<12, direction>(key, y, &counter, data, count);
      if (key->aes.rounds == 14) y = batches<14, direction>(key, y, &counter, data, count);
      data += count * kBatchBytes;
      size -= count * kBatchBytes;
      if (direction == Direction::kSeal) y = hash_batch(key, y, data - kBatchBytes);
    }
  }

  for (size_t blocks = (size + 15) / 16 + 1; size > 0; blocks -= 4) {
    const size_t here = size < 64 ? size : 64;
    const __mmask64 mask = bytes_mask(here);
    const __m512i in = _mm512_maskz_loadu_epi8(mask, data);
    const __m512i out = _mm512_maskz_mov_epi8(mask, crypt_4_blocks(&key->aes, numbered(lanes, counter.number), in));
    _mm512_mask_storeu_epi8(data, mask, out);
    const __m512i hashed = byte_swap(direction == Direction::kSeal ? out : in);
    ghash_add(&sum, hash_4_blocks(key, add_to_first(hashed, y), blocks));
    y = _mm512_setzero_si512();
    counter.number += 4;
    data += here;
    size -= here;
  }
  const size_t last = key->powers.at(1);
  ghash_add(&sum, ghash_product(add_to_first(lengths, y), load_one(key->powers.power + last),
                                load_one(key->powers.folded + last)));
  y = ghash_reduce(sum);
  const __m512i masked = crypt_4_blocks(&key->aes, lanes, byte_swap(y));
  store128(tag, _mm512_castsi512_si128(masked));
}

void expand_key(GcmKey* opaque, const uint8_t* user_key, size_t key_size) noexcept {
  Key* key = reinterpret_cast<Key*>(opaque->storage);
  expand_aes_key(&key->aes, user_key, key_size);
  const __m512i zero = _mm512_setzero_si512();
  ghash_powers(&key->powers, byte_swap(_mm512_castsi512_si128(crypt_4_blocks(&key->aes, zero, zero))));
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

constinit const GcmKernel kGcmVaes512 = {.name = "vaes512",
                                         .needs = {CpuFeature::kAesni, CpuFeature::kPclmul, CpuFeature::kVaes,
                                                   CpuFeature::kVpclmul, CpuFeature::kAvx512, CpuFeature::kBmi2},
                                         .expand_key = expand_key,
                                         .seal = seal,
                                         .open = open};

}  // namespace plumb
