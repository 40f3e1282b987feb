// One AVX2 instruction that asks nobody: what the tests on older CPUs must be able to notice.
#include <immintrin.h>

int main(int count, char**) {
  __m256i sum = _mm256_set1_epi8(static_cast<char>(count));
  sum = _mm256_add_epi8(sum, sum);
  asm volatile("" : : "x"(sum));
  return 0;
}
