// Constant-time building blocks, and the marks by which a checker knows what is secret.
//
// Under the `ct` preset the marks tell valgrind that secret bytes are undefined, so that any branch or index that
// depends on them is reported. In every other build they compile to nothing.
#pragma once

#include <cstddef>
#include <cstdint>

#ifdef PLUMB_CT
#include <valgrind/memcheck.h>
#endif

#include "core/bytes.h"
#include "core/endian.h"

namespace plumb {

/// From here on `p[0, n)` is secret: control flow and addresses must not depend on it.
inline void ct_secret([[maybe_unused]] const void* p, [[maybe_unused]] size_t n) {
#ifdef PLUMB_CT
  VALGRIND_MAKE_MEM_UNDEFINED(p, n);
#endif
}

/// `p[0, n)` may be seen by anyone: a ciphertext, a tag that was sent, the verdict of a comparison.
inline void ct_public([[maybe_unused]] const void* p, [[maybe_unused]] size_t n) {
#ifdef PLUMB_CT
  VALGRIND_MAKE_MEM_DEFINED(p, n);
#endif
}

/// Hides `v` from the optimiser, so that a mask is not turned back into a branch.
inline uint64_t ct_barrier(uint64_t v) {
  asm("" : "+r"(v));
  return v;
}

/// Whether `a` and `b` hold the same bytes, in time that depends on the sizes alone. Different sizes are unequal.
inline bool ct_equal(Bytes a, Bytes b) {
  if (a.size() != b.size()) return false;
  uint64_t difference = 0;
  size_t i = 0;
  for (; i + 8 <= a.size(); i += 8) difference |= load_le64(a.data() + i) ^ load_le64(b.data() + i);  // tags, MACs
  for (; i < a.size(); i++) difference |= static_cast<uint64_t>(a[i] ^ b[i]);
  difference = ct_barrier(difference);
  ct_public(&difference, sizeof difference);  // the verdict itself is public
  return difference == 0;
}

}  // namespace plumb
