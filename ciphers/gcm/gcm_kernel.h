// What an implementation of AES-GCM offers.
//
// A call handles a whole packet, so that a kernel may interleave CTR and GHASH as it likes, take the key stream of the
// tag, the first blocks and the last in one pass, and reduce once. Kernels work on raw pointers and keep keys in a
// layout of their own.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/cpu.h"

namespace plumb {

/// Room for 15 round keys of 64 bytes (repeated in each lane of a 512-bit vector), 48 powers of H with the sums of
/// their halves, and 128 bytes more.
inline constexpr size_t kGcmKeyStorage = 15 * 64 + 48 * 2 * 16 + 128;

/// An expanded key in the kernel's own layout. Holds secrets and no pointers: `wipe_object` erases it.
struct GcmKey {
  alignas(64) uint8_t storage[kGcmKeyStorage];
};

struct GcmKernel {
  const char* name;
  CpuFeatures needs;

  /// Expands a key of 16, 24 or 32 bytes.
  void (*expand_key)(GcmKey* key, const uint8_t* user_key, size_t key_size) noexcept;

  /// Encrypts `data[0, size)` in place and writes the 16-byte tag. `nonce` is 12 bytes. Any alignment, `size` below
  /// 2^36 - 31; touches nothing outside the given ranges. `aad` may be null if `aad_size` is 0, `data` if `size` is.
  void (*seal)(const GcmKey* key, const uint8_t* nonce, const uint8_t* aad, size_t aad_size, uint8_t* data, size_t size,
               uint8_t* tag) noexcept;

  /// Decrypts `data` in place, likewise, and returns 0 if `tag` is the ciphertext's, something else if not. The tag
  /// that it ought to have never leaves the kernel. Judging the result, and wiping what must not be seen, is the
  /// caller's: kernels do not branch on secrets.
  uint64_t (*open)(const GcmKey* key, const uint8_t* nonce, const uint8_t* aad, size_t aad_size, uint8_t* data,
                   size_t size, const uint8_t* tag) noexcept;
};

extern const GcmKernel kGcmPortable;
extern const GcmKernel kGcmBitwise;
extern const GcmKernel kGcmAesni;
extern const GcmKernel kGcmVaes256;
extern const GcmKernel kGcmVaes512;

}  // namespace plumb
