// What an implementation of AES-CTR beside SHA-256 offers: one loop that does both.
//
// SHA-256 of one message waits for the latency of its rounds and leaves most of the core idle; AES of other bytes of
// the same packet fits into the gaps.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/cpu.h"

namespace plumb {

/// An expanded AES key in the kernel's own layout. A secret without pointers: `wipe_object` erases it.
struct CtrSha256Key {
  alignas(16) uint8_t bytes[16 * 16];
};

struct CtrSha256Kernel {
  const char* name;
  CpuFeatures needs;

  /// Expands a key of 16, 24 or 32 bytes. Null in the last entry of the table, as `crypt_and_hash` is: there AES and
  /// SHA run in series, each by its own kernel.
  void (*expand_key)(CtrSha256Key* expanded, const uint8_t* key, size_t key_size) noexcept;

  /// `count` times: one block of 64 bytes at `message` into `hash` (eight words in native order), and four AES blocks
  /// of keystream, from the big-endian `counter` on, XORed into 64 bytes at `data`. Moves `counter` on modulo 2^128.
  /// The two regions may overlap: each block of the message is read before the 64 bytes of its turn are written.
  void (*crypt_and_hash)(const CtrSha256Key* key, uint8_t* counter, uint8_t* data, uint32_t* hash,
                         const uint8_t* message, size_t count) noexcept;
};

extern const CtrSha256Kernel kCtrSha256Shani;
extern const CtrSha256Kernel kCtrSha256InSeries;

}  // namespace plumb
