#include "ciphers/kernels.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "ciphers/aes/aes_kernel.h"
#include "ciphers/chacha20/chacha20_kernel.h"
#include "ciphers/etm/ctr_sha256_kernel.h"
#include "ciphers/gcm/gcm_kernel.h"
#include "ciphers/mac/sha_kernel.h"
#include "ciphers/poly1305/poly1305_kernel.h"

namespace plumb {
namespace {

using enum CpuFeature;

template <class Kernel>
void expect_sound_table(KernelTable<Kernel> table) {
  ASSERT_FALSE(table.empty());
  EXPECT_EQ(table.back()->needs, CpuFeatures());
  std::set<std::string> names;
  for (size_t i = 0; i < table.size(); i++) {
    SCOPED_TRACE(table[i]->name);
    EXPECT_TRUE(names.insert(table[i]->name).second) << "two kernels of one name";
    EXPECT_EQ(find_kernel(table, table[i]->name), table[i]);
    for (size_t k = 0; k < i; k++) {
      EXPECT_FALSE(table[i]->needs.covers(table[k]->needs))
          << "never chosen: " << table[k]->name << " stands before it";
    }
  }
  EXPECT_EQ(find_kernel(table, "no such kernel"), nullptr);
}

TEST(Kernels, EveryTableEndsWithAKernelThatNeedsNothingAndReachesAllOfThem) {
  expect_sound_table(aes_ctr_kernels());
  expect_sound_table(gcm_kernels());
  expect_sound_table(chacha20_kernels());
  expect_sound_table(poly1305_kernels());
  expect_sound_table(sha256_kernels());
  expect_sound_table(sha512_kernels());
  expect_sound_table(ctr_sha256_kernels());
}

TEST(Kernels, ACpuWithoutFeaturesGetsPortableThroughout) {
  const KernelSet kernels = select_kernels({});
  EXPECT_EQ(to_string(kernels),
            "aes-ctr=portable gcm=portable chacha20=portable poly1305=portable sha256=libcrypto sha512=libcrypto "
            "ctr-sha256=in-series");
}

TEST(Kernels, ACpuWithEverythingGetsTheFirstOfEachTable) {
  const KernelSet kernels = select_kernels(CpuFeatures::all());
  EXPECT_EQ(kernels.aes_ctr, aes_ctr_kernels().front());
  EXPECT_EQ(kernels.gcm, gcm_kernels().front());
  EXPECT_EQ(kernels.chacha20, chacha20_kernels().front());
  EXPECT_EQ(kernels.poly1305, poly1305_kernels().front());
  EXPECT_EQ(kernels.sha256, sha256_kernels().front());
  EXPECT_EQ(kernels.sha512, sha512_kernels().front());
  EXPECT_EQ(kernels.ctr_sha256, ctr_sha256_kernels().front());
}

// Every one of the 2^11 CPUs that the features can describe, sensible or not.
TEST(Kernels, NoInventedCpuGetsAKernelItCannotRunOrLessThanItCan) {
  constexpr unsigned kFeatures = static_cast<unsigned>(CpuFeature::kCount);
  for (unsigned bits = 0; bits < 1u << kFeatures; bits++) {
    CpuFeatures features;
    for (unsigned i = 0; i < kFeatures; i++) {
      if (bits >> i & 1) features.add(static_cast<CpuFeature>(i));
    }
    const KernelSet kernels = select_kernels(features);
    ASSERT_TRUE(features.covers(kernels.aes_ctr->needs)) << to_string(features);
    ASSERT_TRUE(features.covers(kernels.gcm->needs)) << to_string(features);
    ASSERT_TRUE(features.covers(kernels.chacha20->needs)) << to_string(features);
    ASSERT_TRUE(features.covers(kernels.poly1305->needs)) << to_string(features);
    ASSERT_EQ(kernels.chacha20, runnable_kernels(chacha20_kernels(), features).front()) << to_string(features);
    ASSERT_EQ(kernels.gcm, runnable_kernels(gcm_kernels(), features).front()) << to_string(features);
  }
}

TEST(Kernels, InventedCpusGetWhatTheyAreDueOnX86) {
  if (chacha20_kernels().size() == 1) GTEST_SKIP() << "built without CPU-specific kernels";
  const KernelSet haswell = select_kernels({kSsse3, kSse41, kAesni, kPclmul, kBmi2, kAvx2});
  EXPECT_STREQ(haswell.chacha20->name, "avx2");
  EXPECT_STREQ(haswell.gcm->name, "aesni");
  const KernelSet no_avx2 = select_kernels({kSsse3, kSse41, kAesni, kPclmul});
  EXPECT_STREQ(no_avx2.chacha20->name, "ssse3");
  EXPECT_STREQ(no_avx2.aes_ctr->name, "aesni");
  const KernelSet no_pclmul = select_kernels({kSsse3, kSse41, kAesni, kAvx2});
  EXPECT_STREQ(no_pclmul.aes_ctr->name, "aesni");
  EXPECT_STREQ(no_pclmul.gcm->name, "portable");
  EXPECT_STREQ(select_kernels(CpuFeatures::all()).poly1305->name, "ifma");
  const KernelSet skylake_x = select_kernels({kSsse3, kSse41, kAesni, kPclmul, kBmi2, kAvx2, kAvx512});
  EXPECT_STREQ(skylake_x.poly1305->name, "avx2");
  EXPECT_STREQ(skylake_x.chacha20->name, "avx512");
}

TEST(Kernels, TheHostGetsTheChoiceForItsOwnFeatures) {
  EXPECT_EQ(host_kernels(), select_kernels(host_cpu()));
  EXPECT_EQ(&host_kernels(), &host_kernels());
}

TEST(Kernels, TheSetsForTestsHoldEveryRunnableKernel) {
  const auto sets = all_kernel_sets(CpuFeatures::all());
  ASSERT_FALSE(sets.empty());
  EXPECT_EQ(sets.front(), select_kernels(CpuFeatures::all()));
  EXPECT_EQ(sets.back(), select_kernels({}));
  std::set<const void*> seen;
  for (const KernelSet& set : sets) {
    seen.insert(set.aes_ctr);
    seen.insert(set.gcm);
    seen.insert(set.chacha20);
    seen.insert(set.poly1305);
  }
  EXPECT_EQ(seen.size(),
            aes_ctr_kernels().size() + gcm_kernels().size() + chacha20_kernels().size() + poly1305_kernels().size());
}

}  // namespace
}  // namespace plumb
