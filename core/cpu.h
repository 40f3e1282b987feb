// What this CPU can do, as a set that tests can invent. Read once; everything chosen from it is a pure function of it.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "core/result.h"

namespace plumb {

enum class CpuFeature : uint8_t {
  kSsse3,
  kSse41,
  kAesni,
  kPclmul,
  kBmi2,
  kAvx2,
  kShaNi,
  kVaes,
  kVpclmul,
  kAvx512,  ///< F, BW, VL and DQ together, with the opmask and zmm state enabled by the system
  kIfma,
  kCount
};

/// A set of features.
class CpuFeatures {
 public:
  constexpr CpuFeatures() = default;
  constexpr CpuFeatures(std::initializer_list<CpuFeature> features) {
    for (CpuFeature f : features) bits_ |= bit(f);
  }
  static constexpr CpuFeatures all() {
    CpuFeatures everything;
    everything.bits_ = (1u << static_cast<unsigned>(CpuFeature::kCount)) - 1;
    return everything;
  }

  constexpr bool has(CpuFeature f) const { return (bits_ & bit(f)) != 0; }
  constexpr bool covers(CpuFeatures needs) const { return (bits_ & needs.bits_) == needs.bits_; }
  constexpr void add(CpuFeature f) { bits_ |= bit(f); }
  constexpr void remove(CpuFeature f) { bits_ &= ~bit(f); }
  constexpr bool operator==(const CpuFeatures&) const = default;

 private:
  static constexpr uint32_t bit(CpuFeature f) { return 1u << static_cast<unsigned>(f); }
  uint32_t bits_ = 0;
};

/// The name used by `PLUMB_CPU` and `--cpu`: "avx2", "vaes", …
std::string_view cpu_feature_name(CpuFeature feature);

/// What CPUID reports and the operating system saves (OSXSAVE, XCR0). Empty on other architectures.
CpuFeatures detect_cpu();

/// `features` changed by a mask such as "-avx512,-vaes", "+avx2" or "none". A removed feature takes those that need
/// it along: -avx2 removes avx512, ifma, vaes and vpclmul too. Fails with kUsage on an unknown name.
/// "+" can only restore what `features` had: a mask never invents a feature.
Result<CpuFeatures> apply_cpu_mask(CpuFeatures features, std::string_view mask);

/// `detect_cpu()` under the environment's `PLUMB_CPU`, worked out once. A malformed mask aborts with a sentence that
/// names it, since running on with other kernels than those asked for would make every result a lie.
const CpuFeatures& host_cpu();

/// "aesni pclmul avx2", for people.
std::string to_string(CpuFeatures features);

}  // namespace plumb
