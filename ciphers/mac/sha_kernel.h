// What an implementation of a SHA compression function offers: several messages at once.
//
// One message is bound by the latency of its rounds; two or three that advance together fill the gaps, and eight fit
// the lanes of one vector. So a kernel is given as many states as it can take, each with the blocks of its own message.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/cpu.h"

namespace plumb {

/// `Word` is uint32_t for SHA-1 and SHA-256, uint64_t for SHA-384 and SHA-512.
template <class Word>
struct ShaKernel {
  const char* name;
  CpuFeatures needs;

  size_t lanes;       ///< the most messages that one call takes
  size_t worth_from;  ///< with fewer messages the last kernel of the table is faster, one message at a time

  /// Advances `count` states, 1 to `lanes` of them, by `blocks` blocks each, at least one. `states[i]` has eight words
  /// in native byte order (five under SHA-1); `data[i]` is `blocks` blocks of any alignment.
  void (*compress)(Word* const* states, const uint8_t* const* data, size_t blocks, size_t count) noexcept;
};

struct Sha256Kernel : ShaKernel<uint32_t> {};
struct Sha512Kernel : ShaKernel<uint64_t> {};

extern const Sha256Kernel kSha256Shani;
extern const Sha256Kernel kSha256Libcrypto;
extern const Sha512Kernel kSha512Avx512;
extern const Sha512Kernel kSha512Libcrypto;
extern const ShaKernel<uint32_t> kSha1Libcrypto;

}  // namespace plumb
