// Every key exchange method with every host key algorithm, and the ways to authenticate.
#include <gtest/gtest.h>

#include <cctype>

#include "interop/fixture_client.h"
#include "kex/methods.h"
#include "keys/signature.h"
#include "tests/interop/wire.h"

namespace plumb {
namespace {

/// Each method of the table, skipped where the installed OpenSSH does not have it.
class WireKex : public testing::TestWithParam<const KexMethod*> {
 protected:
  void SetUp() override {
    ProgramRequest list;
    list.argv = {"ssh", "-Q", "kex"};
    const ProgramResult known = run_program(list);
    if (!known.started) GTEST_SKIP() << "ssh is not installed (openssh-client)";
    if (("\n" + known.output).find("\n" + name() + "\n") == std::string::npos)
      GTEST_SKIP() << "the installed OpenSSH does not have " << name();
  }
  static std::string name() { return std::string(GetParam()->name); }
};

TEST_P(WireKex, C29EveryHostKeyAlgorithm) {
  for (const SignatureAlgorithm& algorithm : signature_algorithms()) {
    if (algorithm.security_key) continue;  // sshd would need an agent with the token
    SshdOptions options;
    options.kex = name();
    options.host_key_algorithms = algorithm.name;
    PLUMB_START_SSHD(sshd, options);
    SCOPED_TRACE(std::string(algorithm.name));
    const ExecRunResult result = run_plumb_exec(sshd, {.command = "exit 42"});
    EXPECT_EQ(result.program.exit_code, 42) << result.program.error;
    EXPECT_TRUE(sshd.wait_for_log("kex: algorithm: " + name()));
    EXPECT_TRUE(sshd.wait_for_log("kex: host key algorithm: " + std::string(algorithm.name)));
  }
}

TEST_P(WireKex, NamedOnOurSideIsUsed) {
  SshdOptions options;
  options.kex = "+" + name();  // not every method is on by default
  PLUMB_START_SSHD(sshd, options);
  const ExecRunResult result = run_plumb_exec(sshd, {.options = {"--kex", name()}, .command = "true"});
  EXPECT_EQ(result.program.exit_code, 0) << result.program.error;
  EXPECT_TRUE(sshd.wait_for_log("kex: algorithm: " + name()));
}

INSTANTIATE_TEST_SUITE_P(Table, WireKex, testing::ValuesIn([] {
                           std::vector<const KexMethod*> methods;
                           for (const KexMethod& method : kex_methods()) methods.push_back(&method);
                           return methods;
                         }()),
                         [](const auto& instance) {
                           std::string name(instance.param->name);
                           std::erase_if(name, [](char c) { return std::isalnum(static_cast<unsigned char>(c)) == 0; });
                           return name;
                         });

TEST(WireHandshake, OutcomeNamesWhatWasNegotiated) {
  SshdOptions options;
  options.kex = "ecdh-sha2-nistp256";
  options.ciphers = "aes192-ctr";
  options.macs = "hmac-sha2-512";
  PLUMB_START_SSHD(sshd, options);
  const auto client = FixtureClient::make(sshd);
  ASSERT_TRUE(client) << client.error();
  const ExecOutcome outcome = run_exec(client->request("exit 3"));
  ASSERT_EQ(outcome.stage, ExecOutcome::Stage::kDone) << outcome.error_detail;
  EXPECT_TRUE(outcome.exited);
  EXPECT_EQ(outcome.exit_status, 3u);
  ASSERT_TRUE(outcome.agreed);
  EXPECT_EQ(outcome.agreed->kex->name, "ecdh-sha2-nistp256");
  EXPECT_EQ(outcome.agreed->c2s.cipher, "aes192-ctr");
  EXPECT_EQ(outcome.agreed->s2c.cipher, "aes192-ctr");
  EXPECT_EQ(outcome.agreed->c2s.mac, "hmac-sha2-512");
  EXPECT_EQ(outcome.agreed->s2c.mac, "hmac-sha2-512");
  EXPECT_EQ(outcome.key_exchanges, 1u);
  EXPECT_TRUE(outcome.server_identification.starts_with("SSH-2.0-OpenSSH")) << outcome.server_identification;
}

class WirePassword : public testing::Test {
 protected:
  static SshdOptions options() {
    SshdOptions options;
    options.password = "correct horse";
    return options;
  }
  static SecretBytes secret(std::string_view text) { return SecretBytes(as_bytes(text)); }
};

TEST_F(WirePassword, RightOneLogsIn) {
  PLUMB_START_SSHD(sshd, options());
  const auto client = FixtureClient::make(sshd);
  ASSERT_TRUE(client) << client.error();
  ExecRequest request = client->request("exit 5");
  request.keys.clear();
  request.password = [] { return secret("correct horse"); };
  const ExecOutcome outcome = run_exec(request);
  EXPECT_EQ(outcome.stage, ExecOutcome::Stage::kDone) << outcome.error_detail;
  EXPECT_EQ(outcome.exit_status, 5u);
  EXPECT_TRUE(sshd.wait_for_log("Accepted password for"));
}

TEST_F(WirePassword, WrongOneIsAnAuthenticationError) {
  PLUMB_START_SSHD(sshd, options());
  const auto client = FixtureClient::make(sshd);
  ASSERT_TRUE(client) << client.error();
  ExecRequest request = client->request("true");
  request.keys.clear();
  int asked = 0;
  request.password = [&asked] {
    ++asked;
    return secret("battery staple");
  };
  const ExecOutcome outcome = run_exec(request);
  EXPECT_EQ(outcome.stage, ExecOutcome::Stage::kAuth);
  EXPECT_EQ(outcome.error.code, ErrorCode::kAuth) << outcome.error_detail;
  EXPECT_EQ(asked, 1);
  EXPECT_TRUE(sshd.wait_for_log("Failed password for"));
}

TEST_F(WirePassword, ComesAfterTheKeys) {
  SshdOptions options = WirePassword::options();
  options.extra_lines = {"AuthenticationMethods publickey,password"};
  PLUMB_START_SSHD(sshd, options);
  const auto client = FixtureClient::make(sshd);
  ASSERT_TRUE(client) << client.error();
  ExecRequest request = client->request("exit 6");
  request.password = [] { return secret("correct horse"); };
  const ExecOutcome outcome = run_exec(request);
  EXPECT_EQ(outcome.stage, ExecOutcome::Stage::kDone) << outcome.error_detail;
  EXPECT_EQ(outcome.exit_status, 6u);
  EXPECT_TRUE(sshd.wait_for_log("Partial publickey"));
  EXPECT_TRUE(sshd.wait_for_log("Accepted password"));
}

TEST(WireHandshake, RefusedKeyIsAnAuthenticationError) {
  SshdOptions options;
  options.extra_lines = {"AuthorizedKeysFile none"};
  PLUMB_START_SSHD(sshd, options);
  const ExecRunResult result = run_plumb_exec(sshd, {.command = "true"});
  EXPECT_EQ(result.program.exit_code, 255);
  EXPECT_FALSE(result.program.error.empty());
  EXPECT_FALSE(result.program.timed_out);
}

}  // namespace
}  // namespace plumb
