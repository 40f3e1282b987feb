// AES-CTR on vectors of any width, for the kernel files: eight vectors in flight hide the latency of an AES round. `W`
// is a struct as in wide_aesni.h. File-local to the kernel that includes it.
#pragma once

#include <cstddef>
#include <cstdint>

#include "ciphers/aes/aes_kernel.h"
#include "ciphers/aes/aes_wide.h"

namespace plumb {
namespace {

template <class W>
struct WideCtr {
  using V = typename W::V;
  using Key = WideAesKey<W>;
  static_assert(sizeof(Key) <= kAesKeyStorage);

  static constexpr size_t kVectors = 8;
  static constexpr size_t kBatch = kVectors * W::kBlocks;  ///< blocks

  static const Key* key_of(const AesCtrState* state) { return reinterpret_cast<const Key*>(state->key); }

  static void expand_key(AesCtrState* state, const uint8_t* key, size_t key_size) noexcept {
    expand_aes_key(reinterpret_cast<Key*>(state->key), key, key_size);
  }

  static V plus(V numbers, size_t n) { return W::add_numbers(numbers, W::in_each_lane(static_cast<uint32_t>(n))); }

  /// One batch. `numbers` are the counters of its first vector in the CPU's order, `blocks` the same big-endian, of use
  /// unless the lowest byte of some counter `wraps`.
  template <uint32_t rounds>
  static void crypt_batch(const Key* key, V blocks, V numbers, bool wraps, uint8_t* data) {
    V b[kVectors];
    if (!wraps) {
#pragma GCC unroll 8
      for (size_t j = 0; j < kVectors; j++) b[j] = big_endian_plus<W>(blocks, W::kBlocks * j);
    } else {
#pragma GCC unroll 8
      for (size_t j = 0; j < kVectors; j++) b[j] = W::byte_swap(plus(numbers, W::kBlocks * j));
    }
#pragma GCC unroll 8
    for (size_t j = 0; j < kVectors; j++) b[j] = W::add(b[j], key->round_key[0]);
#pragma GCC unroll 14
    for (uint32_t round = 1; round < rounds; round++) aes_round<W, kVectors>(b, key->round_key[round]);
#pragma GCC unroll 8
    for (size_t j = 0; j < kVectors; j++) {
      uint8_t* here = data + sizeof(V) * j;
      W::store(here, aes_last_round<W>(b[j], key->round_key[rounds], W::load(here)));
    }
  }

  /// `count` batches; `low` is the low byte of the first counter. Moves `numbers` on.
  template <uint32_t rounds>
  static void crypt_batches(const Key* key, V* numbers, uint32_t low, uint8_t* data, size_t count) {
    V blocks = W::byte_swap(*numbers);
    for (; count > 0; count--, data += 16 * kBatch) {
      crypt_batch<rounds>(key, blocks, *numbers, low > 256 - kBatch, data);
      *numbers = plus(*numbers, kBatch);
      low = (low + kBatch) % 256;
      blocks = low < kBatch ? W::byte_swap(*numbers) : big_endian_plus<W>(blocks, kBatch);
    }
  }

  /// `count` vectors in lock step, of the last one `last` bytes.
  template <size_t count>
  static void crypt_rest(const Key* key, V numbers, uint8_t* data, size_t last) {
    V b[count];
#pragma GCC unroll 4
    for (size_t j = 0; j < count; j++) b[j] = W::byte_swap(plus(numbers, W::kBlocks * j));
    aes_rounds_but_last<W, count>(key, b);
#pragma GCC unroll 4
    for (size_t j = 0; j < count; j++) {
      uint8_t* here = data + sizeof(V) * j;
      const size_t size = j + 1 == count ? last : sizeof(V);
      W::store_part(here, size, aes_last_round<W>(b[j], key->round_key[key->rounds], W::load_part(here, size)));
    }
  }

  static void crypt(AesCtrState* state, uint8_t* data, size_t blocks) noexcept {
    const Key* key = key_of(state);
    const V counter = W::byte_swap(W::repeat(Wide128::load(state->counter)));
    V numbers = W::add_numbers(counter, W::places());

    if (const size_t batches = blocks / kBatch; batches > 0) {
      const uint32_t low = state->counter[15];
      if (key->rounds == 10) crypt_batches<10>(key, &numbers, low, data, batches);
      if (key->rounds == 12) crypt_batches<12>(key, &numbers, low, data, batches);
      if (key->rounds == 14) crypt_batches<14>(key, &numbers, low, data, batches);
      data += 16 * kBatch * batches;
      blocks %= kBatch;
    }
    const V after = plus(numbers, blocks);
    if (blocks > 4 * W::kBlocks) {
      crypt_rest<4>(key, numbers, data, sizeof(V));
      numbers = plus(numbers, 4 * W::kBlocks);
      data += 4 * sizeof(V);
      blocks -= 4 * W::kBlocks;
    }
    const size_t last = 16 * ((blocks + W::kBlocks - 1) % W::kBlocks + 1);
    switch ((blocks + W::kBlocks - 1) / W::kBlocks) {
      case 1: crypt_rest<1>(key, numbers, data, last); break;
      case 2: crypt_rest<2>(key, numbers, data, last); break;
      case 3: crypt_rest<3>(key, numbers, data, last); break;
      case 4: crypt_rest<4>(key, numbers, data, last); break;
    }
    Wide128::store(state->counter, Wide128::byte_swap(W::first(after)));
  }
};

}  // namespace
}  // namespace plumb
