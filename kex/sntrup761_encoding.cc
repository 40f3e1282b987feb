#include "kex/sntrup761_encoding.h"

#include <vector>

#include "core/check.h"
#include "core/secret.h"

namespace plumb {
namespace {

constexpr uint32_t kHalfQ = kSntrupQ / 2;
constexpr uint32_t kRoundedRadix = (kSntrupQ + 2) / 3;

/// A radix at which a byte leaves.
constexpr uint32_t kLimit = 16384;

/// Numbers below their radices. The radices are public.
struct Digits {
  uint32_t value[kSntrupP];
  uint32_t radix[kSntrupP];
  size_t count = kSntrupP;
};

void encode(Digits& d, MutBytes out) {
  size_t at = 0;
  while (d.count > 1) {
    size_t merged = 0;
    size_t i = 0;
    for (; i + 1 < d.count; i += 2) {
      uint32_t value = d.value[i] + d.value[i + 1] * d.radix[i];
      uint32_t radix = d.radix[i] * d.radix[i + 1];
      for (; radix >= kLimit; radix = (radix + 255) >> 8) {
        out[at++] = static_cast<uint8_t>(value);
        value >>= 8;
      }
      d.value[merged] = value;
      d.radix[merged++] = radix;
    }
    if (i < d.count) {
      d.value[merged] = d.value[i];
      d.radix[merged++] = d.radix[i];
    }
    d.count = merged;
  }
  for (uint32_t radix = d.radix[0], value = d.value[0]; radix > 1; radix = (radix + 255) >> 8) {
    out[at++] = static_cast<uint8_t>(value);
    value >>= 8;
  }
  PLUMB_CHECK(at == out.size());
}

/// One level of merging, seen from the bytes: what left there, and the radices that went on.
struct Level {
  std::vector<uint32_t> radix;           // of what was merged
  std::vector<uint32_t> low, low_radix;  // per pair
};

std::vector<uint32_t> decode(uint32_t radix, Bytes bytes) {
  std::vector<Level> levels;
  std::vector<uint32_t> radices(kSntrupP, radix);
  while (radices.size() > 1) {
    Level level{.radix = radices, .low = {}, .low_radix = {}};
    std::vector<uint32_t> next;
    for (size_t i = 0; i + 1 < radices.size(); i += 2) {
      uint32_t merged = radices[i] * radices[i + 1];
      uint32_t low = 0;
      uint32_t low_radix = 1;
      for (; merged >= kLimit; merged = (merged + 255) >> 8) {
        low += bytes[0] * low_radix;
        low_radix <<= 8;
        bytes = bytes.subspan(1);
      }
      level.low.push_back(low);
      level.low_radix.push_back(low_radix);
      next.push_back(merged);
    }
    if (radices.size() % 2 == 1) next.push_back(radices.back());
    levels.push_back(std::move(level));
    radices = std::move(next);
  }
  uint32_t top = 0;
  for (size_t i = 0; i < bytes.size(); i++) top += uint32_t{bytes[i]} << (8 * i);
  std::vector<uint32_t> values{top % radices[0]};
  for (; !levels.empty(); levels.pop_back()) {
    const Level& level = levels.back();
    std::vector<uint32_t> split;
    for (size_t pair = 0; pair < level.low.size(); pair++) {
      const uint32_t value = level.low[pair] + level.low_radix[pair] * values[pair];
      split.push_back(value % level.radix[2 * pair]);
      split.push_back(value / level.radix[2 * pair] % level.radix[2 * pair + 1]);
    }
    if (level.radix.size() % 2 == 1) split.push_back(values.back());
    values = std::move(split);
  }
  return values;
}

template <class ToDigit>
void encode_poly(const SntrupPoly& poly, uint32_t radix, MutBytes out, ToDigit to_digit) {
  Digits d;
  for (size_t i = 0; i < kSntrupP; i++) {
    d.value[i] = to_digit(static_cast<uint32_t>(poly.c[i] + static_cast<int>(kHalfQ)));
    d.radix[i] = radix;
  }
  encode(d, out);
  wipe_object(d);
}

}  // namespace

void sntrup_encode(const SntrupPoly& poly, MutBytes out) {
  PLUMB_CHECK(out.size() == kSntrupPublicSize);
  encode_poly(poly, kSntrupQ, out, [](uint32_t x) { return x; });
}

void sntrup_encode_rounded(const SntrupPoly& poly, MutBytes out) {
  PLUMB_CHECK(out.size() == kSntrupRoundedSize);
  encode_poly(poly, kRoundedRadix, out, [](uint32_t x) { return (x * 10923) >> 15; });  // x / 3
}

void sntrup_encode_small(const SntrupPoly& poly, MutBytes out) {
  PLUMB_CHECK(out.size() == kSntrupSmallSize);
  static_assert(kSntrupRoom >= 4 * kSntrupSmallSize);
  for (size_t i = 0; i < out.size(); i++) {
    int byte = 0;
    for (size_t j = 0; j < 4 && 4 * i + j < kSntrupP; j++) byte |= (poly.c[4 * i + j] + 1) << (2 * j);
    out[i] = static_cast<uint8_t>(byte);
  }
}

SntrupPoly sntrup_decode(Bytes bytes) {
  PLUMB_CHECK(bytes.size() == kSntrupPublicSize);
  const std::vector<uint32_t> digits = decode(kSntrupQ, bytes);
  SntrupPoly poly{};
  for (size_t i = 0; i < kSntrupP; i++) poly.c[i] = static_cast<int16_t>(digits[i] - kHalfQ);
  return poly;
}

SntrupPoly sntrup_decode_rounded(Bytes bytes) {
  PLUMB_CHECK(bytes.size() == kSntrupRoundedSize);
  const std::vector<uint32_t> digits = decode(kRoundedRadix, bytes);
  SntrupPoly poly{};
  for (size_t i = 0; i < kSntrupP; i++) poly.c[i] = static_cast<int16_t>(3 * digits[i] - kHalfQ);
  return poly;
}

}  // namespace plumb
