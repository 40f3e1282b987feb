// What an implementation of AES-CTR offers.
//
// A kernel works on raw pointers, so that its file can be compiled for one CPU without dragging shared inline functions
// along. It keeps the round keys in whatever layout suits it.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/cpu.h"

namespace plumb {

/// Room for 15 round keys of 64 bytes (bit-sliced planes, or one key repeated in each lane of a 512-bit vector) and
/// for what else a kernel must remember.
inline constexpr size_t kAesKeyStorage = 15 * 64 + 64;

/// One direction of an AES-CTR stream. Holds secrets and no pointers: `wipe_object` erases it.
struct AesCtrState {
  alignas(64) uint8_t key[kAesKeyStorage];  ///< the expanded key in the kernel's own layout
  uint8_t counter[16];                      ///< the next block's counter, big-endian
};

struct AesCtrKernel {
  const char* name;
  CpuFeatures needs;

  /// Expands a key of 16, 24 or 32 bytes into `state->key`; leaves `counter` alone.
  void (*expand_key)(AesCtrState* state, const uint8_t* key, size_t key_size) noexcept;

  /// XORs `blocks` × 16 bytes of keystream into `data`, any alignment, and moves the counter on modulo 2^128.
  void (*crypt)(AesCtrState* state, uint8_t* data, size_t blocks) noexcept;
};

extern const AesCtrKernel kAesCtrPortable;
extern const AesCtrKernel kAesCtrAesni;
extern const AesCtrKernel kAesCtrVaes256;
extern const AesCtrKernel kAesCtrVaes512;

}  // namespace plumb
