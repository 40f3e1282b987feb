// Key exchanges in the middle of a stream, started by either side: the counters, sequence numbers and keys of each kind
// of cipher across hundreds of them.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "interop/fixture_client.h"
#include "tests/interop/wire.h"

namespace plumb {
namespace {

constexpr size_t kVolume = 64 << 20;
constexpr size_t kRekeys = 200;
// What is agreed on by default costs OpenSSH a tenth of a second each time.
constexpr const char* kQuickKex = "curve25519-sha256";

class WireRekey : public testing::TestWithParam<WirePair> {};

// 256 KiB per key and 64 MiB each way: at least 256 exchanges if each side kept exactly to its limit. A data packet in
// flight between the two KEXINITs still counts for the old keys, so that it is fewer in practice.
TEST_P(WireRekey, C8C33C34C36C37C39C41ServerRekeysOver200Times) {
  SshdOptions options = only(GetParam());
  options.rekey_limit = "256K";
  PLUMB_START_SSHD(sshd, options);
  const Payload payload(sshd.folder(), kVolume);
  const ExecRunResult result =
      run_plumb_exec(sshd, {.options = {"--kex", kQuickKex}, .command = "cat", .input = payload.path()});
  EXPECT_EQ(result.program.exit_code, 0) << result.program.error;
  EXPECT_EQ(result.output_size, payload.size());
  EXPECT_EQ(result.output_sha256, payload.sha256());
  EXPECT_GT(sshd.count_log("SSH2_MSG_NEWKEYS received"), kRekeys);
  EXPECT_EQ(sshd.count_log("Accepted publickey"), 1u);
}

TEST_P(WireRekey, C8C33C34C36C37C39C41WeRekeyOver200Times) {
  PLUMB_START_SSHD(sshd, only(GetParam()));
  const Payload payload(sshd.folder(), kVolume);
  const ExecRunResult result = run_plumb_exec(
      sshd, {.options = {"--kex", kQuickKex, "-o", "RekeyLimit=256K"}, .command = "cat", .input = payload.path()});
  EXPECT_EQ(result.program.exit_code, 0) << result.program.error;
  EXPECT_EQ(result.output_size, payload.size());
  EXPECT_EQ(result.output_sha256, payload.sha256());
  EXPECT_GT(sshd.count_log("SSH2_MSG_NEWKEYS received"), kRekeys);
}

/// What the connection itself counts agrees with the server's log.
TEST_P(WireRekey, OutcomeCountsTheExchanges) {
  SshdOptions options = only(GetParam());
  options.rekey_limit = "256K";
  PLUMB_START_SSHD(sshd, options);
  const auto client = FixtureClient::make(sshd);
  ASSERT_TRUE(client) << client.error();
  const Payload payload(sshd.folder(), 4 << 20);
  ExecRequest request = client->request("cat");
  request.input_fd = ::open(payload.path().c_str(), O_RDONLY | O_CLOEXEC);
  const std::filesystem::path output = sshd.folder() / "output";
  request.output_fd = ::open(output.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
  const ExecOutcome outcome = run_exec(request);
  close(request.input_fd);
  close(request.output_fd);
  EXPECT_EQ(outcome.stage, ExecOutcome::Stage::kDone) << outcome.error_detail;
  EXPECT_EQ(sha256_of_file(output), payload.sha256());
  EXPECT_EQ(outcome.bytes_out, payload.size());
  EXPECT_EQ(outcome.bytes_in, payload.size());
  EXPECT_GT(outcome.key_exchanges, 4u);
  EXPECT_EQ(sshd.count_log("SSH2_MSG_NEWKEYS received"), outcome.key_exchanges);
}

INSTANTIATE_TEST_SUITE_P(Kinds, WireRekey, testing::ValuesIn(one_pair_of_each_kind()),
                         [](const auto& param) { return test_name(param.param); });

}  // namespace
}  // namespace plumb
