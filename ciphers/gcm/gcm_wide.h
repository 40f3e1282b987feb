// AES-GCM on vectors of any width, for the kernel files. `W` is a struct as in wide_aesni.h. File-local to the kernel
// that includes it.
//
// Eight vectors of CTR run beside the GHASH of eight vectors of ciphertext: when opening those same ones, when sealing
// the eight before, which are done by then. One reduction for such a batch, and one for all that remains at the end,
// AAD and lengths included; so a short packet has one reduction in all.
//
// Registers in the main loop: 8 for blocks, 3 for sums, up to 7 for products and their factors, and the byte-swap mask,
// the counter and y. Round keys and powers come from memory, one load for eight uses. Where there are but 16 registers
// the loop is assembly, written by tools/generate_kernels.py.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "ciphers/aes/aes_wide.h"
#include "ciphers/gcm/gcm_kernel.h"
#include "ciphers/ghash/ghash_wide.h"

namespace plumb {
namespace {

enum class Direction { kSeal, kOpen };

/// What a generated loop takes and leaves behind. tools/generate_kernels.py knows this layout.
template <class W>
struct GcmLoop {
  typename W::V counters;  ///< the next blocks, big-endian; moved on
  typename W::V y;         ///< in the first lane, zeros in the others; moved on
  const void* round_keys;  ///< in vectors
  const void* powers;      ///< of a batch, and the sums of their halves
  const void* folded;
  uint8_t* data;
  const uint8_t* hashed;  ///< the same when opening, a batch before it when sealing
  size_t count;           ///< batches, not 0
  uint64_t number;        ///< of the next block
};

/// `Generated` has the loops as `template <uint32_t rounds> static void run(GcmLoop<W>*)`; void: the compiler's.
template <class W, class Generated = void>
struct WideGcm {
  using V = typename W::V;
  using Sum = GhashSum<W>;

  static constexpr size_t kVectors = 8;
  static constexpr size_t kPairs = kVectors / 2;
  static constexpr size_t kBatch = kVectors * W::kBlocks;  ///< blocks
  static constexpr size_t kBatchBytes = 16 * kBatch;
  static constexpr size_t kPowers = kBatch + 4;  ///< of a short packet: one block of AAD, a batch, the lengths

  struct Key {
    WideAesKey<W> aes;
    GhashPowers<W, kPowers> powers;
  };
  static_assert(sizeof(Key) <= kGcmKeyStorage);

  static void expand_key(GcmKey* opaque, const uint8_t* user_key, size_t key_size) noexcept {
    Key* key = reinterpret_cast<Key*>(opaque->storage);
    expand_aes_key(&key->aes, user_key, key_size);
    key->powers.init(W::first(aes_encrypt(&key->aes, W::zero())));
  }

  /// Adds two of a batch's eight products to `sum`, or starts it: pair 0 is vectors 1 and 2, and so on. The last is
  /// vectors 7 and 0, as vector 0 has to wait for `y`.
  static void hash_pair(const Key* key, Sum* sum, const uint8_t* data, V y, size_t pair) {
    const size_t first = 2 * pair + 1;
    const size_t second = (2 * pair + 2) % kVectors;
    const V a = W::byte_swap(W::load(data + sizeof(V) * first));
    const Sum product_a = key->powers.product(a, kBatch - W::kBlocks * first);
    if (pair == 0) *sum = product_a;
    if (pair > 0 && !W::kManyRegisters) ghash_add(sum, product_a);
    V b = W::byte_swap(W::load(data + sizeof(V) * second));
    if (second == 0) b = W::add_to_first(b, y);
    const Sum product_b = key->powers.product(b, kBatch - W::kBlocks * second);
    if (pair > 0 && W::kManyRegisters) {
      ghash_add(sum, product_a, product_b);
    } else {
      ghash_add(sum, product_b);
    }
  }

  static V hash_batch(const Key* key, V y, const uint8_t* data) {
    Sum sum;
#pragma GCC unroll 4
    for (size_t pair = 0; pair < kPairs; pair++) hash_pair(key, &sum, data, y, pair);
    return ghash_reduce(sum);
  }

  /// y after `size` bytes of AAD, padded with zeros to whole blocks.
  static V absorb(const Key* key, V y, const uint8_t* data, size_t size) {
    for (; size >= kBatchBytes; size -= kBatchBytes, data += kBatchBytes) y = hash_batch(key, y, data);
    if (size == 0) return y;
    Sum sum = {W::zero(), W::zero(), W::zero()};
    for (size_t blocks = (size + 15) / 16;; blocks -= W::kBlocks, size -= sizeof(V), data += sizeof(V)) {
      const V in = W::byte_swap(W::load_part(data, size < sizeof(V) ? size : sizeof(V)));
      ghash_add(&sum, key->powers.product(W::add_to_first(in, y), blocks));
      y = W::zero();
      if (size <= sizeof(V)) return ghash_reduce(sum);
    }
  }

  /// Counter blocks from `number` on; `nonces` holds the nonce and zero in each lane.
  static V numbered(V nonces, size_t number) {
    const V numbers = W::add_words(W::in_each_lane(static_cast<uint32_t>(number)), W::places());
    return W::add(nonces, W::byte_swap(numbers));
  }

  struct Counter {
    V nonces;
    V blocks;         ///< numbered(nonces, number)
    uint32_t number;  ///< of the next block
  };

  static void counter_blocks(V b[kVectors], Counter* counter) {
    const uint32_t low = counter->number % 256;
    if (low <= 256 - kBatch) {
#pragma GCC unroll 8
      for (size_t j = 0; j < kVectors; j++) b[j] = big_endian_plus<W>(counter->blocks, W::kBlocks * j);
    } else {
#pragma GCC unroll 8
      for (size_t j = 0; j < kVectors; j++) b[j] = numbered(counter->nonces, counter->number + W::kBlocks * j);
    }
    counter->number += kBatch;
    if (low < 256 - kBatch) {
      counter->blocks = big_endian_plus<W>(counter->blocks, kBatch);
    } else {
      counter->blocks = numbered(counter->nonces, counter->number);
    }
  }

  /// One batch of CTR at `data`, and if `hashing` the GHASH of one at `hashed`, its pairs spread evenly over the
  /// rounds. Returns the new y.
  template <uint32_t rounds, bool hashing>
  static V crypt_batch(const Key* key, V y, Counter* counter, uint8_t* data, const uint8_t* hashed) {
    const V* keys = key->aes.round_key;
    asm("" : "+r"(keys));  // keeps the compiler from holding round keys in registers and spilling blocks for them
    V b[kVectors];
    counter_blocks(b, counter);
#pragma GCC unroll 8
    for (size_t j = 0; j < kVectors; j++) b[j] = W::add(b[j], keys[0]);
    Sum sum;
    size_t pair = 0;
#pragma GCC unroll 14
    for (uint32_t round = 1; round < rounds; round++) {
      aes_round<W, kVectors>(b, keys[round]);
      if (hashing && round * kPairs / (rounds - 1) > pair) hash_pair(key, &sum, hashed, y, pair++);
    }
    if constexpr (hashing) y = ghash_reduce(sum);
#pragma GCC unroll 8
    for (size_t j = 0; j < kVectors; j++) {
      uint8_t* here = data + sizeof(V) * j;
      W::store(here, aes_last_round<W>(b[j], keys[rounds], W::load(here)));
    }
    return y;
  }

  /// `count` batches of CTR at `data`, and of GHASH at `hashed`. Returns the new y.
  template <uint32_t rounds>
  static V crypt_and_hash(const Key* key, V y, Counter* counter, uint8_t* data, const uint8_t* hashed, size_t count) {
    if constexpr (std::is_void_v<Generated>) {
      for (; count > 0; count--, data += kBatchBytes, hashed += kBatchBytes) {
        y = crypt_batch<rounds, true>(key, y, counter, data, hashed);
      }
      return y;
    } else {
      if (count == 0) return y;
      static_assert(offsetof(GcmLoop<W>, number) == 2 * sizeof(V) + 48);
      const size_t at = GhashPowers<W, kPowers>::at(kBatch);
      GcmLoop<W> loop = {counter->blocks,
                         W::first_only(W::first(y)),
                         key->aes.round_key,
                         key->powers.power + at,
                         key->powers.folded + at,
                         data,
                         hashed,
                         count,
                         counter->number};
      Generated::template run<rounds>(&loop);
      counter->blocks = loop.counters;
      counter->number += static_cast<uint32_t>(kBatch * count);
      return loop.y;
    }
  }

  /// `count` batches, at least one. Sealing hashes one batch behind.
  template <uint32_t rounds, Direction direction>
  static V crypt_batches(const Key* key, V y, Counter* counter, uint8_t* data, size_t count) {
    if constexpr (direction == Direction::kOpen) return crypt_and_hash<rounds>(key, y, counter, data, data, count);
    crypt_batch<rounds, false>(key, y, counter, data, nullptr);
    y = crypt_and_hash<rounds>(key, y, counter, data + kBatchBytes, data, count - 1);
    return hash_batch(key, y, data + kBatchBytes * (count - 1));
  }

  /// The end of a packet, shorter than a batch.
  struct Rest {
    V nonces;
    size_t number;  ///< of the next block
    V y;            ///< for the next block hashed; zero from then on
    Sum sum;        ///< products so far
    size_t blocks;  ///< yet to be hashed, the lengths included
  };

  /// CTR and products of `count` vectors in lock step, of the last one `last` bytes.
  template <Direction direction, size_t count>
  [[gnu::always_inline]] static void crypt_rest(const Key* key, Rest* rest, uint8_t* data, size_t last) {
    V b[count];
#pragma GCC unroll 4
    for (size_t j = 0; j < count; j++) b[j] = numbered(rest->nonces, rest->number + W::kBlocks * j);
    aes_rounds_but_last<W, count>(&key->aes, b);
#pragma GCC unroll 4
    for (size_t j = 0; j < count; j++) {
      uint8_t* here = data + sizeof(V) * j;
      const size_t size = j + 1 == count ? last : sizeof(V);
      const V in = W::load_part(here, size);
      const V out = W::keep_part(aes_last_round<W>(b[j], key->aes.round_key[key->aes.rounds], in), size);
      W::store_part(here, size, out);
      const V hashed = W::add_to_first(W::byte_swap(direction == Direction::kSeal ? out : in), rest->y);
      ghash_add(&rest->sum, key->powers.product(hashed, rest->blocks - W::kBlocks * j));
      rest->y = W::zero();
    }
    rest->number += W::kBlocks * count;
    rest->blocks -= W::kBlocks * count;
  }

  /// The tag of a packet that is encrypted or decrypted, plus `other`, byte-swapped as y is.
  template <Direction direction>
  static __m128i run(const GcmKey* opaque, const uint8_t* nonce, const uint8_t* aad, size_t aad_size, uint8_t* data,
                     size_t size, __m128i other) {
    const Key* key = reinterpret_cast<const Key*>(opaque->storage);
    const __m128i lengths = _mm_set_epi64x(static_cast<long long>(8 * aad_size), static_cast<long long>(8 * size));
    const V nonces = W::repeat(Wide128::load_part(nonce, 12));
    const __m128i tag_key = W::first(aes_encrypt(&key->aes, numbered(nonces, 1)));  // E(J0)
    const __m128i masks = Wide128::byte_swap(Wide128::add(tag_key, other));

    Rest rest = {nonces, 2, W::zero(), {W::zero(), W::zero(), W::zero()}, 0};
    if (size < kBatchBytes && aad_size <= 16) {
      if (aad_size > 0) {
        rest.sum = key->powers.product_of_one(W::byte_swap(W::load_part(aad, aad_size)), (size + 15) / 16 + 2);
      }
    } else {
      rest.y = absorb(key, rest.y, aad, aad_size);
      if (const size_t count = size / kBatchBytes; count > 0) {
        Counter counter = {nonces, numbered(nonces, 2), 2};
        if (key->aes.rounds == 10) rest.y = crypt_batches<10, direction>(key, rest.y, &counter, data, count);
        if (key->aes.rounds == 12) rest.y = crypt_batches<12, direction>(key, rest.y, &counter, data, count);
        if (key->aes.rounds == 14) rest.y = crypt_batches<14, direction>(key, rest.y, &counter, data, count);
        rest.number = counter.number;
        data += count * kBatchBytes;
        size %= kBatchBytes;
      }
    }

    rest.blocks = (size + 15) / 16 + 1;
    if (size > 4 * sizeof(V)) {
      crypt_rest<direction, 4>(key, &rest, data, sizeof(V));
      data += 4 * sizeof(V);
      size -= 4 * sizeof(V);
    }
    const size_t last = (size + sizeof(V) - 1) % sizeof(V) + 1;
    switch ((size + sizeof(V) - 1) / sizeof(V)) {
      case 1: crypt_rest<direction, 1>(key, &rest, data, last); break;
      case 2: crypt_rest<direction, 2>(key, &rest, data, last); break;
      case 3: crypt_rest<direction, 3>(key, &rest, data, last); break;
      case 4: crypt_rest<direction, 4>(key, &rest, data, last); break;
    }
    ghash_add(&rest.sum, key->powers.product_of_one(W::add_to_first(W::first_only(lengths), rest.y), 1));
    return Wide128::add(W::first(ghash_reduce(rest.sum)), masks);
  }

  static void seal(const GcmKey* key, const uint8_t* nonce, const uint8_t* aad, size_t aad_size, uint8_t* data,
                   size_t size, uint8_t* tag) noexcept {
    const __m128i made = run<Direction::kSeal>(key, nonce, aad, aad_size, data, size, Wide128::zero());
    Wide128::store(tag, Wide128::byte_swap(made));
  }

  static uint64_t open(const GcmKey* key, const uint8_t* nonce, const uint8_t* aad, size_t aad_size, uint8_t* data,
                       size_t size, const uint8_t* tag) noexcept {
    const __m128i difference = run<Direction::kOpen>(key, nonce, aad, aad_size, data, size, Wide128::load(tag));
    const __m128i high_half = _mm_unpackhi_epi64(difference, difference);
    return static_cast<uint64_t>(_mm_cvtsi128_si64(_mm_or_si128(difference, high_half)));
  }
};

}  // namespace
}  // namespace plumb
