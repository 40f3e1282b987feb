// Poly1305 with one block per vector lane: the plan that the vector kernels share. Everything here is file-local to the
// kernel that includes it, and compiled with that kernel's flags.
//
// n blocks are c[1]·r^n + … + c[n]·r. With L lanes, the first n mod L blocks go through the scalar code, which runs
// beside the powers of r; the rest are groups of L, one block per lane. All groups but the last are summed by Horner's
// rule in r^L, several groups at a time: each group of a pass has a power of its own, and only the first waits for the
// sum of the pass before, so a kernel multiplies it last. The last group's lanes are multiplied by r^L … r^1.
//
// A kernel gives its arithmetic as a type V:
//   V::kLanes, V::kPassGroups      blocks per group, groups between two reductions
//   V::kFewestBlocks               below that the powers cost more than they save
//   V::Factors                     the powers in the form that its multiplications want
//   V::prepare(&factors, r, multiples)       r^1 … r^L, and r^L, r^2L … as many as `multiples`
//   V::Numbers V::start(number)    `number` in the lane of a group's first block, zero in the others
//   V::Numbers V::pass(h, message, count, factors)       h · r^(L·count) + the sum of `count` groups, carried
//   PolyNumber V::last(h, message, size, factors)        the sum over all lanes of (h + last group) · r^L … r^1
//   V::wipe(&factors)
#pragma once

#include "ciphers/poly1305/poly1305_scalar.h"

namespace plumb {
namespace {

/// A message of V::kFewestBlocks and more. A function of its own, since a short message would pay for its stack and get
/// worse code: half as slow again.
template <class V>
__attribute__((noinline)) void poly_wide_long(const uint8_t* key, const uint8_t* message, size_t size, uint8_t* tag) {
  const size_t blocks = (size + 15) / 16;
  constexpr size_t kGroup = 16 * V::kLanes;
  PolyKey r = poly_key(key);
  typename V::Factors factors;
  size_t groups = blocks / V::kLanes - 1;  // besides the last
  V::prepare(&factors, r, groups < V::kPassGroups ? groups : V::kPassGroups);

  const size_t leading = blocks % V::kLanes;
  typename V::Numbers h = V::start(poly_absorb_blocks({}, r, message, leading));
  message += 16 * leading;
  size -= 16 * leading;
  if (const size_t odd = groups % V::kPassGroups; odd != 0) {
    h = V::pass(h, message, odd, factors);
    message += kGroup * odd;
    size -= kGroup * odd;
    groups -= odd;
  }
  for (; groups != 0; groups -= V::kPassGroups) {
    h = V::pass(h, message, V::kPassGroups, factors);
    message += kGroup * V::kPassGroups;
    size -= kGroup * V::kPassGroups;
  }
  poly_finish(V::last(h, message, size, factors), key, tag);
  V::wipe(&factors);
  poly_wipe(&r, sizeof r);
}

template <class V>
inline void poly_wide_tag(const uint8_t* key, const uint8_t* message, size_t size, uint8_t* tag) {
  if ((size + 15) / 16 < V::kFewestBlocks) return poly_tag(key, message, size, tag);
  poly_wide_long<V>(key, message, size, tag);
}

}  // namespace
}  // namespace plumb
