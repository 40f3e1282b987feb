// What a ChaCha20 implementation provides. Raw pointers only: kernel files are compiled for one instruction set, and an
// ordinary inline function in them could be the copy that the linker keeps for everybody (cmake/PlumbKernel.cmake).
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/cpu.h"

namespace plumb {

/// Which block to compute: lanes of one pass need share neither key nor nonce nor counter, which is what lets the
/// length mask, the Poly1305 key and the first body blocks of several SSH packets come out of one pass.
struct ChaCha20Block {
  const uint8_t* key;    ///< 32 bytes
  const uint8_t* nonce;  ///< 8 bytes
  uint64_t counter;
};

struct ChaCha20Kernel {
  const char* name;
  CpuFeatures needs;

  /// How many blocks cost one pass of `blocks`; asking for fewer costs the same.
  size_t lanes;

  /// XORs the keystream from block `counter` on into `data[0, size)`, any size, any alignment. Touches nothing else.
  void (*crypt)(const uint8_t* key, const uint8_t* nonce, uint64_t counter, uint8_t* data, size_t size) noexcept;

  /// Writes the keystream of `count` blocks, 64 bytes each, to `out` in order. Any count.
  void (*blocks)(const ChaCha20Block* blocks, size_t count, uint8_t* out) noexcept;
};

extern const ChaCha20Kernel kChaCha20Portable;
extern const ChaCha20Kernel kChaCha20Ssse3;
extern const ChaCha20Kernel kChaCha20Avx2;
extern const ChaCha20Kernel kChaCha20Avx512;

}  // namespace plumb
