// Loads and stores of fixed-width integers at any alignment. SSH is big-endian throughout (RFC 4251 §5);
// ChaCha20 and Poly1305 are little-endian inside.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>

namespace plumb {

static_assert(std::endian::native == std::endian::little, "big-endian hosts are not supported");

inline uint16_t load_be16(const uint8_t* p) {
  uint16_t v;
  std::memcpy(&v, p, sizeof v);
  return __builtin_bswap16(v);
}

inline uint32_t load_be32(const uint8_t* p) {
  uint32_t v;
  std::memcpy(&v, p, sizeof v);
  return __builtin_bswap32(v);
}

inline uint64_t load_be64(const uint8_t* p) {
  uint64_t v;
  std::memcpy(&v, p, sizeof v);
  return __builtin_bswap64(v);
}

inline void store_be16(uint8_t* p, uint16_t v) {
  v = __builtin_bswap16(v);
  std::memcpy(p, &v, sizeof v);
}

inline void store_be32(uint8_t* p, uint32_t v) {
  v = __builtin_bswap32(v);
  std::memcpy(p, &v, sizeof v);
}

inline void store_be64(uint8_t* p, uint64_t v) {
  v = __builtin_bswap64(v);
  std::memcpy(p, &v, sizeof v);
}

inline uint32_t load_le32(const uint8_t* p) {
  uint32_t v;
  std::memcpy(&v, p, sizeof v);
  return v;
}

inline uint64_t load_le64(const uint8_t* p) {
  uint64_t v;
  std::memcpy(&v, p, sizeof v);
  return v;
}

inline void store_le32(uint8_t* p, uint32_t v) { std::memcpy(p, &v, sizeof v); }

inline void store_le64(uint8_t* p, uint64_t v) { std::memcpy(p, &v, sizeof v); }

}  // namespace plumb
