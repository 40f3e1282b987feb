// Every cipher with every MAC, against an sshd that knows no other, through the program that people use.
#include <gtest/gtest.h>

#include "tests/interop/wire.h"

namespace plumb {
namespace {

constexpr size_t kVolume = 64 << 20;

class WirePairs : public testing::TestWithParam<WirePair> {};

TEST_P(WirePairs, C1C5C7SixtyFourMiBEachWay) {
  PLUMB_START_SSHD(sshd, only(GetParam()));
  const Payload payload(sshd.folder(), kVolume);
  ExecRun run{.command = "cat", .input = payload.path()};
  if (GetParam().legacy()) run.options = {"-o", "Policy=legacy"};
  const ExecRunResult result = run_plumb_exec(sshd, run);
  EXPECT_EQ(result.program.exit_code, 0) << result.program.error;
  EXPECT_EQ(result.output_size, payload.size());
  EXPECT_EQ(result.output_sha256, payload.sha256());

  const std::string mac = GetParam().mac != nullptr ? GetParam().mac_name() : "<implicit>";
  for (const char* direction : {"client->server", "server->client"}) {
    const std::string line = std::string(direction) + " cipher: " + GetParam().cipher_name() + " MAC: " + mac;
    EXPECT_TRUE(sshd.wait_for_log(line)) << sshd.log();
  }
}

INSTANTIATE_TEST_SUITE_P(Table, WirePairs, testing::ValuesIn(all_pairs()),
                         [](const auto& param) { return test_name(param.param); });

TEST(WireAeadOnly, C14NoCipherNamedNoMacInCommon) {
  SshdOptions options;
  options.ciphers = "chacha20-poly1305@openssh.com,aes256-gcm@openssh.com,aes128-gcm@openssh.com";
  options.macs = "hmac-md5";  // one that we do not have
  PLUMB_START_SSHD(sshd, options);
  const Payload payload(sshd.folder(), kVolume);
  const ExecRunResult result = run_plumb_exec(sshd, {.command = "cat", .input = payload.path()});
  EXPECT_EQ(result.program.exit_code, 0) << result.program.error;
  EXPECT_EQ(result.output_sha256, payload.sha256());
}

/// Ciphers forced on our side against a server that takes all: what `-c` and `-m` promise.
TEST(WireForced, NamedCipherAndMacAreUsed) {
  PLUMB_START_SSHD(sshd, SshdOptions{});
  for (const WirePair& pair : one_pair_of_each_kind()) {
    const size_t mark = sshd.log_mark();
    ExecRun run{.options = {"-c", pair.cipher_name()}, .command = "echo $((6 * 7))"};
    if (pair.mac != nullptr) run.options.insert(run.options.end(), {"-m", pair.mac_name()});
    const ExecRunResult result = run_plumb_exec(sshd, run);
    EXPECT_EQ(result.program.exit_code, 0) << result.program.error;
    EXPECT_EQ(result.output_size, 3u);
    EXPECT_TRUE(sshd.wait_for_log("client->server cipher: " + pair.cipher_name(), mark));
  }
}

}  // namespace
}  // namespace plumb
