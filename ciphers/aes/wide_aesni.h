// A vector of one block, for the kernel files. The wide kernels (ctr_wide.h, gcm_wide.h) are written once against the
// operations of this struct and of its wider sisters, wide_vaes256.h and wide_vaes512.h. File-local to the kernel that
// includes it.
#pragma once

#include <immintrin.h>

#include <cstddef>
#include <cstdint>

namespace plumb {
namespace {

struct Wide128 {
  using V = __m128i;
  static constexpr size_t kBlocks = 1;
  static constexpr bool kManyRegisters = false;  ///< 32 of them, and additions of three in one instruction

  static V zero() { return _mm_setzero_si128(); }
  static V load(const void* p) { return _mm_loadu_si128(static_cast<const V*>(p)); }
  static void store(void* p, V v) { _mm_storeu_si128(static_cast<V*>(p), v); }

  /// As load, where `p` is a multiple of 16.
  static V load_aligned(const void* p) { return _mm_load_si128(static_cast<const V*>(p)); }

  /// One block in the first lane, zeros in the others.
  static V first_only(__m128i block) { return block; }

  /// The first `size` bytes, zero to all, and zeros. In registers: a load that waits for smaller stores costs more.
  static V load_part(const void* p, size_t size) {
    if (size == sizeof(V)) return load(p);
    const uint8_t* bytes = static_cast<const uint8_t*>(p);
    uint64_t low = 0;
    uint64_t high = 0;
    if (size > 8) {
      low = load_word<uint64_t>(bytes);
      high = load_word<uint64_t>(bytes + size - 8) >> (8 * (16 - size));
    } else if (size == 8) {
      low = load_word<uint64_t>(bytes);
    } else if (size >= 4) {
      low = load_word<uint32_t>(bytes) | uint64_t{load_word<uint32_t>(bytes + size - 4)} << (8 * (size - 4));
    } else {
      for (size_t i = 0; i < size; i++) low |= uint64_t{bytes[i]} << (8 * i);
    }
    return _mm_set_epi64x(static_cast<long long>(high), static_cast<long long>(low));
  }

  static void store_part(void* p, size_t size, V v) {
    if (size == sizeof(V)) return store(p, v);
    alignas(16) uint8_t part[sizeof(V)];
    store(part, v);
    __builtin_memcpy(p, part, size);
  }

  template <class Word>
  static Word load_word(const uint8_t* p) {
    Word word;
    __builtin_memcpy(&word, p, sizeof word);
    return word;
  }

  /// `v` with zeros behind its first `size` bytes.
  static V keep_part(V v, size_t size) {
    alignas(16) static const uint8_t kMask[32] = {255, 255, 255, 255, 255, 255, 255, 255,
                                                  255, 255, 255, 255, 255, 255, 255, 255};
    return _mm_and_si128(v, load(kMask + sizeof(V) - size));
  }

  /// The same block in each lane, and back.
  static V repeat(__m128i block) { return block; }
  static __m128i first(V v) { return v; }

  /// The sum of all lanes, at least in the first one.
  static V sum_of_lanes(V v) { return v; }

  /// `a`, with `b` added in the first lane alone.
  static V add_to_first(V a, V b) { return _mm_xor_si128(a, b); }

  /// `n` in each lane, as a number of 128 bits; each lane's place, likewise.
  static V in_each_lane(uint32_t n) { return _mm_cvtsi32_si128(static_cast<int>(n)); }
  static V places() { return zero(); }

  /// `n` in each lane's last word of 32 bits.
  static V in_last_words(uint32_t n) { return _mm_set_epi32(static_cast<int>(n), 0, 0, 0); }

  /// Reverses the bytes of each lane: big-endian numbers to the CPU's order, and back.
  static V byte_swap(V v) { return _mm_shuffle_epi8(v, _mm_set_epi32(0x00010203, 0x04050607, 0x08090a0b, 0x0c0d0e0f)); }

  static V swap_halves(V v) { return _mm_shuffle_epi32(v, 0x4e); }
  static V add(V a, V b) { return _mm_xor_si128(a, b); }
  static V add(V a, V b, V c) { return add(add(a, b), c); }
  static V add_words(V a, V b) { return _mm_add_epi32(a, b); }

  /// a + b modulo 2^128 in each lane, for b below 2^63.
  static V add_numbers(V a, V b) {
    const V sum = _mm_add_epi64(a, b);
    const V carry = _mm_srli_epi64(_mm_andnot_si128(sum, a), 63);  // the top bit was set and is no more
    return _mm_add_epi64(sum, _mm_slli_si128(carry, 8));
  }

  static V aes_round(V v, V key) { return _mm_aesenc_si128(v, key); }
  static V aes_last_round(V v, V key) { return _mm_aesenclast_si128(v, key); }

  /// Carry-less products of the low halves, or of the high ones.
  template <class = void>
  static V multiply_low(V a, V b) {
    return _mm_clmulepi64_si128(a, b, 0x00);
  }
  template <class = void>
  static V multiply_high(V a, V b) {
    return _mm_clmulepi64_si128(a, b, 0x11);
  }
};

}  // namespace
}  // namespace plumb
