// A cipher with a 64-bit block must get new keys after 1 GiB (RFC 4344 §3.2): chacha20-poly1305 past that mark once.
#include <gtest/gtest.h>

#include "tests/interop/wire.h"

namespace plumb {
namespace {

TEST(WireVolume, ChaChaPastOneGiBEachWay) {
  PLUMB_START_SSHD(sshd, only({find_cipher("chacha20-poly1305@openssh.com"), nullptr}));
  const Payload payload(sshd.folder(), (size_t{1} << 30) + (64 << 20));
  const ExecRunResult result =
      run_plumb_exec(sshd, {.command = "cat", .input = payload.path(), .timeout = std::chrono::minutes(10)});
  EXPECT_EQ(result.program.exit_code, 0) << result.program.error;
  EXPECT_EQ(result.output_size, payload.size());
  EXPECT_EQ(result.output_sha256, payload.sha256());
  EXPECT_GE(sshd.count_log("SSH2_MSG_NEWKEYS received"), 2u);
}

}  // namespace
}  // namespace plumb
