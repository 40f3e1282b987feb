// Bytes and coefficients of ML-KEM-768 (FIPS 203 §4.2), as loops that a compiler makes vectors of. Nothing divides: a
// quotient by q is a product and a shift, since a division's time may tell its operands (KyberSlash). File-local
// throughout.
#pragma once

#include <cstring>

#include "kex/mlkem768_kernel.h"

namespace plumb {
namespace {

/// |x| < q as 0 … q-1.
inline uint32_t canonical(int16_t x) { return static_cast<uint32_t>(x + ((x >> 15) & kMlkemQ)); }

inline size_t sample(int16_t* p, size_t have, const uint8_t* bytes, size_t size) noexcept {
  for (size_t i = 0; i < size && have < kMlkemN; i += 3) {
    const int low = bytes[i] | (bytes[i + 1] & 0x0f) << 8;
    const int high = bytes[i + 1] >> 4 | bytes[i + 2] << 4;
    p[have] = static_cast<int16_t>(low);
    have += low < kMlkemQ;
    p[have] = static_cast<int16_t>(high);
    have += high < kMlkemQ;
  }
  return have < kMlkemN ? have : kMlkemN;
}

/// Each half byte is one coefficient: its two low bits counted, less its two high bits.
inline void noise(int16_t* p, const uint8_t* bytes) noexcept {
  for (size_t i = 0; i < kMlkemN / 2; i++) {
    const int pairs = (bytes[i] & 0x55) + ((bytes[i] >> 1) & 0x55);
    p[2 * i] = static_cast<int16_t>((pairs & 3) - ((pairs >> 2) & 3));
    p[2 * i + 1] = static_cast<int16_t>(((pairs >> 4) & 3) - (pairs >> 6));
  }
}

/// Appends values of `kBits` bits, least significant first (algorithm 5); eight values fill whole bytes.
template <int kBits>
inline void pack(uint8_t* out, const uint16_t* values) {
  for (size_t i = 0; i < kMlkemN; i += 4) {
    const uint64_t four = values[i] | uint64_t{values[i + 1]} << kBits | uint64_t{values[i + 2]} << 2 * kBits |
                          uint64_t{values[i + 3]} << 3 * kBits;
    std::memcpy(out + i * kBits / 8, &four, kBits / 2);
  }
}

template <int kBits>
inline void unpack(uint16_t* values, const uint8_t* bytes) {
  for (size_t i = 0; i < kMlkemN; i += 4) {
    uint64_t four = 0;
    std::memcpy(&four, bytes + i * kBits / 8, kBits / 2);
    for (int j = 0; j < 4; j++) values[i + j] = static_cast<uint16_t>((four >> j * kBits) & ((1 << kBits) - 1));
  }
}

inline void encode12(uint8_t* out, const int16_t* p) noexcept {
  uint16_t values[kMlkemN];
  for (size_t i = 0; i < kMlkemN; i++) values[i] = static_cast<uint16_t>(canonical(p[i]));
  pack<12>(out, values);
}

inline void decode12(int16_t* p, const uint8_t* bytes) noexcept {
  uint16_t values[kMlkemN];
  unpack<12>(values, bytes);
  std::memcpy(p, values, sizeof values);
}

/// round(2^10 x / q) mod 2^10. The estimate is right or one too low, which the remainder tells.
inline void compress10(uint8_t* out, const int16_t* p) noexcept {
  uint16_t values[kMlkemN];
  for (size_t i = 0; i < kMlkemN; i++) {
    const uint32_t x = canonical(p[i]);
    const uint32_t estimate = (x * 10079) >> 15;  // 2^25 / q
    const uint32_t remainder = x * 1024 + kMlkemQ / 2 - estimate * kMlkemQ;
    const uint32_t too_low = (kMlkemQ - 1 - remainder) >> 31;
    values[i] = static_cast<uint16_t>((estimate + too_low) & 1023);
  }
  pack<10>(out, values);
}

inline void decompress10(int16_t* p, const uint8_t* bytes) noexcept {
  uint16_t values[kMlkemN];
  unpack<10>(values, bytes);
  for (size_t i = 0; i < kMlkemN; i++) p[i] = static_cast<int16_t>((uint32_t{values[i]} * kMlkemQ + 512) >> 10);
}

/// round(2^kBits x / q) mod 2^kBits for at most 4 bits: 80635 is 2^28 / q, rounded up.
template <int kBits>
inline uint32_t compressed(int16_t p) {
  const uint32_t product = ((canonical(p) << kBits) + (kMlkemQ + 1) / 2) * 80635;  // its upper bits may be lost
  return (product >> 28) & ((1 << kBits) - 1);
}

inline void compress4(uint8_t* out, const int16_t* p) noexcept {
  for (size_t i = 0; i < kMlkemN / 2; i++) {
    out[i] = static_cast<uint8_t>(compressed<4>(p[2 * i]) | compressed<4>(p[2 * i + 1]) << 4);
  }
}

inline void decompress4(int16_t* p, const uint8_t* bytes) noexcept {
  for (size_t i = 0; i < kMlkemN / 2; i++) {
    p[2 * i] = static_cast<int16_t>(((bytes[i] & 15) * kMlkemQ + 8) >> 4);
    p[2 * i + 1] = static_cast<int16_t>(((bytes[i] >> 4) * kMlkemQ + 8) >> 4);
  }
}

inline void compress1(uint8_t* out, const int16_t* p) noexcept {
  for (size_t i = 0; i < kMlkemN / 8; i++) {
    uint32_t byte = 0;
    for (size_t j = 0; j < 8; j++) byte |= compressed<1>(p[8 * i + j]) << j;
    out[i] = static_cast<uint8_t>(byte);
  }
}

inline void decompress1(int16_t* p, const uint8_t* bytes) noexcept {
  for (size_t i = 0; i < kMlkemN; i++) {
    const int bit = (bytes[i / 8] >> (i % 8)) & 1;
    p[i] = static_cast<int16_t>(-bit & ((kMlkemQ + 1) / 2));
  }
}

}  // namespace
}  // namespace plumb
