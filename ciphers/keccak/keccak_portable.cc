#include <bit>

#include "ciphers/keccak/keccak_kernel.h"

namespace plumb {
namespace {

template <int kTurn>
inline uint64_t rotate(uint64_t word) {
  return std::rotl(word, kTurn);
}
inline uint64_t and_not(uint64_t a, uint64_t b) { return ~a & b; }

}  // namespace
}  // namespace plumb

#include "ciphers/keccak/keccak_wide.h"

namespace plumb {
namespace {

void permute(uint64_t* state) noexcept {
  uint64_t words[kKeccakWords];
  for (size_t w = 0; w < kKeccakWords; w++) words[w] = state[w];
  permute_words(words, [](uint64_t constant) { return constant; });
  for (size_t w = 0; w < kKeccakWords; w++) state[w] = words[w];
}

void permute4(uint64_t* states) noexcept {
  for (size_t i = 0; i < kKeccakLanes; i++) {
    uint64_t words[kKeccakWords];
    for (size_t w = 0; w < kKeccakWords; w++) words[w] = states[kKeccakLanes * w + i];
    permute(words);
    for (size_t w = 0; w < kKeccakWords; w++) states[kKeccakLanes * w + i] = words[w];
  }
}

constinit const KeccakKernel* const kTable[] = {
#ifndef PLUMB_PORTABLE
    &kKeccakAvx2,
#endif
    &kKeccakPortable,
};

}  // namespace

constinit const KeccakKernel kKeccakPortable = {
    .name = "portable", .needs = {}, .permute = permute, .permute4 = permute4};

KernelTable<KeccakKernel> keccak_kernels() { return kTable; }

}  // namespace plumb
