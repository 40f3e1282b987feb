// What a Poly1305 implementation provides (see chacha20_kernel.h for why raw pointers only).
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/cpu.h"

namespace plumb {

struct Poly1305Kernel {
  const char* name;
  CpuFeatures needs;

  /// Writes the 16-byte tag of `message[0, size)` under the 32-byte one-time `key` (r, then s). Any size, any
  /// alignment.
  void (*tag)(const uint8_t* key, const uint8_t* message, size_t size, uint8_t* tag) noexcept;
};

extern const Poly1305Kernel kPoly1305Portable;
extern const Poly1305Kernel kPoly1305Avx2;
extern const Poly1305Kernel kPoly1305Ifma;

}  // namespace plumb
