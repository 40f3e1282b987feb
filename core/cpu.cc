#include "core/cpu.h"

#include <array>
#include <cstdio>
#include <cstdlib>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace plumb {
namespace {

constexpr size_t kFeatureCount = static_cast<size_t>(CpuFeature::kCount);

constexpr std::array<std::string_view, kFeatureCount> kNames = {"ssse3", "sse41", "aesni",   "pclmul", "bmi2", "avx2",
                                                                "shani", "vaes",  "vpclmul", "avx512", "ifma"};

/// What goes when a feature goes.
CpuFeatures dependents(CpuFeature feature) {
  using enum CpuFeature;
  switch (feature) {
    case kSsse3: return {kSse41, kAesni, kPclmul, kAvx2, kShaNi, kVaes, kVpclmul, kAvx512, kIfma};
    case kSse41: return {kAvx2, kShaNi, kVaes, kVpclmul, kAvx512, kIfma};
    case kAesni: return {kVaes};
    case kPclmul: return {kVpclmul};
    case kAvx2: return {kVaes, kVpclmul, kAvx512, kIfma};
    case kAvx512: return {kIfma};
    default: return {};
  }
}

}  // namespace

std::string_view cpu_feature_name(CpuFeature feature) { return kNames[static_cast<size_t>(feature)]; }

CpuFeatures detect_cpu() {
  CpuFeatures found;
#if defined(__x86_64__)
  using enum CpuFeature;
  unsigned a, b, c, d;
  if (__get_cpuid(1, &a, &b, &c, &d) == 0) return found;
  if (c & bit_SSSE3) found.add(kSsse3);
  if (c & bit_SSE4_1) found.add(kSse41);
  if (c & bit_AES) found.add(kAesni);
  if (c & bit_PCLMUL) found.add(kPclmul);
  unsigned xcr0 = 0;
  if (c & bit_OSXSAVE) {
    unsigned xcr0_high;
    asm volatile("xgetbv" : "=a"(xcr0), "=d"(xcr0_high) : "c"(0));
  }
  const bool ymm = (xcr0 & 0x06) == 0x06;  // xmm and ymm state saved by the system
  const bool zmm = (xcr0 & 0xe6) == 0xe6;  // and opmasks, zmm0-15 high halves, zmm16-31
  if (__get_cpuid_count(7, 0, &a, &b, &c, &d) == 0) return found;
  if (b & bit_BMI2) found.add(kBmi2);
  if (b & bit_SHA) found.add(kShaNi);
  if (!ymm || !(b & bit_AVX2)) return found;
  found.add(kAvx2);
  if (c & bit_VAES) found.add(kVaes);
  if (c & bit_VPCLMULQDQ) found.add(kVpclmul);
  constexpr unsigned kFoundation = bit_AVX512F | bit_AVX512BW | bit_AVX512VL | bit_AVX512DQ;
  if (!zmm || (b & kFoundation) != kFoundation) return found;
  found.add(kAvx512);
  if (b & bit_AVX512IFMA) found.add(kIfma);
#endif
  return found;
}

Result<CpuFeatures> apply_cpu_mask(CpuFeatures features, std::string_view mask) {
  CpuFeatures chosen = features;
  while (!mask.empty()) {
    const size_t comma = mask.find(',');
    std::string_view word = mask.substr(0, comma);
    mask = comma == std::string_view::npos ? std::string_view() : mask.substr(comma + 1);
    if (word.empty()) continue;
    if (word == "none") {
      chosen = {};
      continue;
    }
    const bool add = word[0] == '+';
    if (!add && word[0] != '-') return fail(ErrorCode::kUsage, "each word of a CPU mask starts with + or -");
    word.remove_prefix(1);
    size_t i = 0;
    while (i < kFeatureCount && kNames[i] != word) i++;
    if (i == kFeatureCount) {
      return fail(
          ErrorCode::kUsage,
          "unknown CPU feature in mask; known: ssse3 sse41 aesni pclmul bmi2 avx2 shani vaes vpclmul avx512 ifma");
    }
    const auto feature = static_cast<CpuFeature>(i);
    if (add) {
      if (features.has(feature)) chosen.add(feature);
      continue;
    }
    chosen.remove(feature);
    const CpuFeatures lost = dependents(feature);
    for (size_t k = 0; k < kFeatureCount; k++) {
      if (lost.has(static_cast<CpuFeature>(k))) chosen.remove(static_cast<CpuFeature>(k));
    }
  }
  return chosen;
}

const CpuFeatures& host_cpu() {
  static const CpuFeatures features = [] {
    const char* mask = std::getenv("PLUMB_CPU");
    Result<CpuFeatures> chosen = apply_cpu_mask(detect_cpu(), mask == nullptr ? "" : mask);
    if (chosen) return *chosen;
    std::fprintf(stderr, "PLUMB_CPU=%s: %s\n", mask, chosen.error().text);
    std::abort();
  }();
  return features;
}

std::string to_string(CpuFeatures features) {
  std::string text;
  for (size_t i = 0; i < kFeatureCount; i++) {
    if (!features.has(static_cast<CpuFeature>(i))) continue;
    if (!text.empty()) text += ' ';
    text += kNames[i];
  }
  return text.empty() ? "none" : text;
}

}  // namespace plumb
