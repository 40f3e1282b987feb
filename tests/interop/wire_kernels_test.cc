// The same bytes on the wire whatever the CPU can do: each kernel forced through PLUMB_CPU, judged by sshd.
#include <gtest/gtest.h>

#include <algorithm>

#include "core/cpu.h"
#include "tests/interop/wire.h"

namespace plumb {
namespace {

/// Masks that leave different kernels as the best ones. "" is the CPU as it is.
constexpr const char* kMasks[] = {"",       "-avx512,-vaes", "-vaes,-vpclmul", "-avx512", "-ifma",
                                  "-shani", "-avx2",         "-aesni,-pclmul", "none"};

/// Masks that differ on this CPU: one for each set of features they leave.
std::vector<std::string> masks_of_this_cpu() {
  std::vector<std::string> masks;
  std::vector<CpuFeatures> seen;
  for (const char* mask : kMasks) {
    const Result<CpuFeatures> left = apply_cpu_mask(detect_cpu(), mask);
    if (!left || std::ranges::find(seen, *left) != seen.end()) continue;
    seen.push_back(*left);
    masks.emplace_back(mask);
  }
  return masks;
}

class WireKernels : public testing::TestWithParam<WirePair> {};

TEST_P(WireKernels, EveryMaskOfTheCpuTalksToSshd) {
  PLUMB_START_SSHD(sshd, only(GetParam()));
  for (const std::string& mask : masks_of_this_cpu()) {
    for (size_t size : {1, 4095, 1 << 20}) {
      const Payload payload(sshd.folder(), size);
      ExecRun run{.command = "cat", .input = payload.path()};
      run.environment = {{"PLUMB_CPU", mask}};
      const ExecRunResult result = run_plumb_exec(sshd, run);
      EXPECT_EQ(result.program.exit_code, 0) << "PLUMB_CPU=" << mask << ": " << result.program.error;
      EXPECT_EQ(result.output_sha256, payload.sha256()) << "PLUMB_CPU=" << mask << ", " << size << " bytes";
    }
  }
}

// The kernel that is slow on purpose, which no CPU is due: an experiment with it must fail in nothing but its rate.
TEST(WireKernelsByName, BitwiseGhashTalksToSshd) {
  const CipherSpec* cipher = find_cipher("aes256-gcm@openssh.com");
  PLUMB_START_SSHD(sshd, only({cipher, nullptr}));
  const Payload payload(sshd.folder(), 1 << 20);
  ExecRun run{.command = "cat", .input = payload.path()};
  run.environment = {{"PLUMB_KERNELS", "gcm=bitwise"}};
  const ExecRunResult result = run_plumb_exec(sshd, run);
  EXPECT_EQ(result.program.exit_code, 0) << result.program.error;
  EXPECT_EQ(result.output_sha256, payload.sha256());
}

INSTANTIATE_TEST_SUITE_P(Kinds, WireKernels, testing::ValuesIn(one_pair_of_each_kind()),
                         [](const auto& param) { return test_name(param.param); });

}  // namespace
}  // namespace plumb
