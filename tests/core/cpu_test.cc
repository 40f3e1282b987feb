#include "core/cpu.h"

#include <gtest/gtest.h>

#include <cstdlib>

namespace plumb {
namespace {

using enum CpuFeature;

CpuFeatures masked(std::string_view mask, CpuFeatures features = CpuFeatures::all()) {
  const Result<CpuFeatures> result = apply_cpu_mask(features, mask);
  EXPECT_TRUE(result.has_value()) << mask;
  return result.value_or(CpuFeatures());
}

TEST(CpuFeatures, AreASet) {
  CpuFeatures features = {kAvx2, kVaes};
  EXPECT_TRUE(features.has(kAvx2));
  EXPECT_FALSE(features.has(kAvx512));
  EXPECT_TRUE(features.covers({kVaes}));
  EXPECT_TRUE(features.covers({}));
  EXPECT_FALSE(features.covers({kVaes, kIfma}));
  features.remove(kVaes);
  EXPECT_EQ(features, CpuFeatures{kAvx2});
  for (unsigned i = 0; i < static_cast<unsigned>(CpuFeature::kCount); i++) {
    EXPECT_TRUE(CpuFeatures::all().has(static_cast<CpuFeature>(i)));
    EXPECT_FALSE(cpu_feature_name(static_cast<CpuFeature>(i)).empty());
  }
}

TEST(CpuFeatures, ReadWellInAReport) {
  EXPECT_EQ(to_string(CpuFeatures()), "none");
  EXPECT_EQ(to_string(CpuFeatures{kAvx2, kAesni}), "aesni avx2");
}

TEST(CpuMask, RemovesAFeatureAndWhatNeedsIt) {
  EXPECT_EQ(masked(""), CpuFeatures::all());
  EXPECT_FALSE(masked("-avx512").has(kAvx512));
  EXPECT_FALSE(masked("-avx512").has(kIfma));
  EXPECT_TRUE(masked("-avx512").has(kVaes)) << "VAES has 256-bit forms";
  for (CpuFeature gone : {kAvx2, kAvx512, kIfma, kVaes, kVpclmul}) EXPECT_FALSE(masked("-avx2").has(gone));
  EXPECT_TRUE(masked("-avx2").has(kAesni));
  EXPECT_FALSE(masked("-aesni").has(kVaes));
  EXPECT_FALSE(masked("-pclmul").has(kVpclmul));
  EXPECT_EQ(masked("-ssse3").has(kAvx2), false);
}

TEST(CpuMask, NoneRemovesAllAndPlusRestoresOnlyWhatWasThere) {
  EXPECT_EQ(masked("none"), CpuFeatures());
  EXPECT_EQ(masked("none,+aesni,+pclmul"), (CpuFeatures{kAesni, kPclmul}));
  EXPECT_EQ(masked("+avx512", {kAesni}), CpuFeatures{kAesni}) << "a mask never invents a feature";
}

TEST(CpuMask, UnknownAndUnsignedWordsFail) {
  for (const char* mask : {"avx2", "-avx3", "-", "+", "-avx2,nonsense", "none,avx2", "-AVX2", "- avx2"}) {
    const Result<CpuFeatures> result = apply_cpu_mask(CpuFeatures::all(), mask);
    ASSERT_FALSE(result.has_value()) << mask;
    EXPECT_EQ(result.error().code, ErrorCode::kUsage);
  }
}

TEST(CpuMask, EveryNameIsAccepted) {
  for (unsigned i = 0; i < static_cast<unsigned>(CpuFeature::kCount); i++) {
    const auto feature = static_cast<CpuFeature>(i);
    EXPECT_FALSE(masked("-" + std::string(cpu_feature_name(feature))).has(feature));
  }
}

TEST(HostCpu, IsWhatWasDetectedUnderTheEnvironmentsMask) {
  const char* mask = std::getenv("PLUMB_CPU");
  EXPECT_EQ(host_cpu(), masked(mask == nullptr ? "" : mask, detect_cpu()));
}

TEST(HostCpuDeathTest, AMalformedMaskAbortsAndNamesItself) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");  // a fresh process, since the answer is worked out once
  setenv("PLUMB_CPU", "-avx3", 1);
  EXPECT_DEATH(host_cpu(), "PLUMB_CPU=-avx3: unknown CPU feature");
  unsetenv("PLUMB_CPU");
}

}  // namespace
}  // namespace plumb
