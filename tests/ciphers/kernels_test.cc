#include "ciphers/kernels.h"

#include <gtest/gtest.h>

#include <cstdlib>
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

/// Up to the kernel that every CPU can run each is some CPU's due; those behind it are chosen by name alone.
template <class Kernel>
void expect_sound_table(KernelTable<Kernel> table) {
  ASSERT_FALSE(table.empty());
  EXPECT_EQ(table.back()->needs, CpuFeatures());
  std::set<std::string> names;
  bool by_name = false;
  for (size_t i = 0; i < table.size(); i++) {
    SCOPED_TRACE(table[i]->name);
    EXPECT_TRUE(names.insert(table[i]->name).second) << "two kernels of one name";
    EXPECT_EQ(find_kernel(table, table[i]->name), table[i]);
    for (size_t k = 0; k < i && !by_name; k++) {
      EXPECT_FALSE(table[i]->needs.covers(table[k]->needs))
          << "never chosen: " << table[k]->name << " stands before it";
    }
    EXPECT_TRUE(!by_name || table[i]->needs == CpuFeatures()) << "an experiment that some CPUs cannot repeat";
    by_name = by_name || table[i]->needs == CpuFeatures();
  }
  EXPECT_EQ(find_kernel(table, "no such kernel"), nullptr);
}

TEST(Kernels, EveryTableHasAKernelThatNeedsNothingAndReachesAllBeforeIt) {
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
    ASSERT_STRNE(kernels.gcm->name, "bitwise") << to_string(features);
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
  const char* words = std::getenv("PLUMB_KERNELS");
  EXPECT_EQ(host_kernels(), choose_kernels(select_kernels(host_cpu()), words == nullptr ? "" : words, host_cpu()));
  EXPECT_EQ(&host_kernels(), &host_kernels());
}

TEST(Kernels, AreChosenByTheNamesThatAReportPrints) {
  const KernelSet best = select_kernels(CpuFeatures::all());
  EXPECT_EQ(choose_kernels(best, "", CpuFeatures::all()), best);
  EXPECT_EQ(choose_kernels(best, to_string(select_kernels({})), CpuFeatures::all()), select_kernels({}));
  const Result<KernelSet> two = choose_kernels(best, ",gcm=bitwise, chacha20=portable", CpuFeatures::all());
  ASSERT_TRUE(two);
  KernelSet expected = best;
  expected.gcm = find_kernel(gcm_kernels(), "bitwise");
  expected.chacha20 = chacha20_kernels().back();
  EXPECT_EQ(*two, expected);
}

TEST(Kernels, ANameThatChoosesNothingFails) {
  const KernelSet best = select_kernels(CpuFeatures::all());
  for (const char* words : {"bitwise", "gcm=", "gcm=bitwis", "GCM=portable", "=portable", "gcm=portable,aes=portable",
                            "gcm=portable;poly1305=portable", "poly1305=bitwise"}) {
    const Result<KernelSet> chosen = choose_kernels(best, words, CpuFeatures::all());
    ASSERT_FALSE(chosen) << words;
    EXPECT_EQ(chosen.error().code, ErrorCode::kUsage);
  }
  if (chacha20_kernels().size() == 1) return;  // built without CPU-specific kernels
  EXPECT_FALSE(choose_kernels(select_kernels({}), "chacha20=avx2", {})) << "a kernel that the CPU cannot run";
}

TEST(KernelsDeathTest, AnEnvironmentThatChoosesNothingAbortsAndNamesItself) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");  // a fresh process, since the answer is worked out once
  setenv("PLUMB_KERNELS", "gcm=slow", 1);
  EXPECT_DEATH(host_kernels(), "PLUMB_KERNELS=gcm=slow: the primitive has no kernel of that name");
  unsetenv("PLUMB_KERNELS");
}

TEST(Kernels, TheSetsForTestsHoldEveryRunnableKernel) {
  const auto sets = all_kernel_sets(CpuFeatures::all());
  ASSERT_FALSE(sets.empty());
  EXPECT_EQ(sets.front(), select_kernels(CpuFeatures::all()));
  KernelSet last = select_kernels({});
  last.gcm = find_kernel(gcm_kernels(), "bitwise");
  EXPECT_EQ(sets.back(), last);
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
