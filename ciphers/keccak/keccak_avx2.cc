#include <immintrin.h>

#include "ciphers/keccak/keccak_kernel.h"

namespace plumb {
namespace {

struct Word4 {
  __m256i v;
};

[[gnu::always_inline]] inline Word4 operator^(Word4 a, Word4 b) { return {_mm256_xor_si256(a.v, b.v)}; }
[[gnu::always_inline]] inline Word4 and_not(Word4 a, Word4 b) { return {_mm256_andnot_si256(a.v, b.v)}; }
[[gnu::always_inline]] inline uint64_t and_not(uint64_t a, uint64_t b) { return ~a & b; }

template <int kTurn>
[[gnu::always_inline]] inline Word4 rotate(Word4 word) {
  if constexpr (kTurn == 0) return word;
  if constexpr (kTurn == 8 || kTurn == 56) {  // whole bytes: one shuffle instead of two shifts
    const __m256i left =
        _mm256_set_epi64x(0x0e0d0c0b0a09080f, 0x0605040302010007, 0x0e0d0c0b0a09080f, 0x0605040302010007);
    const __m256i right =
        _mm256_set_epi64x(0x080f0e0d0c0b0a09, 0x0007060504030201, 0x080f0e0d0c0b0a09, 0x0007060504030201);
    return {_mm256_shuffle_epi8(word.v, kTurn == 8 ? left : right)};
  }
  return {_mm256_or_si256(_mm256_slli_epi64(word.v, kTurn), _mm256_srli_epi64(word.v, 64 - kTurn))};
}
template <int kTurn>
[[gnu::always_inline]] inline uint64_t rotate(uint64_t word) {
  return kTurn == 0 ? word : (word << (kTurn & 63)) | (word >> (-kTurn & 63));
}

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
  auto* vectors = reinterpret_cast<__m256i*>(states);
  Word4 words[kKeccakWords];
  for (size_t w = 0; w < kKeccakWords; w++) words[w].v = _mm256_load_si256(vectors + w);
  permute_words(words, [](uint64_t constant) { return Word4{_mm256_set1_epi64x(static_cast<long long>(constant))}; });
  for (size_t w = 0; w < kKeccakWords; w++) _mm256_store_si256(vectors + w, words[w].v);
}

}  // namespace

constinit const KeccakKernel kKeccakAvx2 = {
    .name = "avx2", .needs = {CpuFeature::kAvx2, CpuFeature::kBmi2}, .permute = permute, .permute4 = permute4};

}  // namespace plumb
