// `plumb serve` on the wire with OpenSSH's client: every cipher and MAC, every host key type, rekeys, what an auditor
// says.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/forward/serve_process.h"
#include "tests/interop/wire.h"

namespace plumb {
namespace {

using ::testing::HasSubstr;
using testing::ServeProcess;

template <class Table>
std::string joined(const Table& table) {
  std::string names;
  for (const auto& line : table) names += (names.empty() ? "" : ",") + std::string(line.name);
  return names;
}

class ServePairs : public ::testing::TestWithParam<WirePair> {
 protected:
  static void SetUpTestSuite() {
    server_ = ServeProcess::start(
        {.arguments = {"-o", "Ciphers=" + joined(cipher_specs()), "-o", "MACs=" + joined(mac_specs())}});
    if (server_ != nullptr) payload_ = std::make_unique<Payload>(server_->folder(), 3 << 20);
  }
  static void TearDownTestSuite() {
    payload_.reset();
    server_.reset();
  }
  static std::unique_ptr<ServeProcess> server_;
  static std::unique_ptr<Payload> payload_;
};
std::unique_ptr<ServeProcess> ServePairs::server_;
std::unique_ptr<Payload> ServePairs::payload_;

TEST_P(ServePairs, BytesThereAndBack) {
  ASSERT_NE(server_, nullptr);
  const std::string cipher = " -c " + GetParam().cipher_name();
  const std::string mac = GetParam().mac == nullptr ? "" : " -m " + GetParam().mac_name();
  const ProgramResult result =
      server_->bash("$SSH" + cipher + mac + " cat < " + payload_->path().string() + " | sha256sum");
  EXPECT_EQ(result.output, payload_->sha256() + "  -\n") << result.error;
}

INSTANTIATE_TEST_SUITE_P(Wire, ServePairs, ::testing::ValuesIn(all_pairs()),
                         [](const auto& tested) { return test_name(tested.param); });

struct HostKeyCase {
  const char* name;
  const char* type;
  const char* bits;
  const char* algorithm;
};

class ServeHostKeys : public ::testing::TestWithParam<HostKeyCase> {};

TEST_P(ServeHostKeys, AreShownAndBelieved) {
  const auto server = ServeProcess::start({.host_key_type = GetParam().type, .host_key_bits = GetParam().bits});
  ASSERT_NE(server, nullptr);
  const std::string only = std::string(" -o HostKeyAlgorithms=") + GetParam().algorithm;
  EXPECT_EQ(server->bash("$SSH" + only + " echo in").output, "in\n");
  EXPECT_EQ(server->bash("$PLUMB echo in").output, "in\n");
}

INSTANTIATE_TEST_SUITE_P(Wire, ServeHostKeys,
                         ::testing::Values(HostKeyCase{"ed25519", "ed25519", "", "ssh-ed25519"},
                                           HostKeyCase{"p256", "ecdsa", "256", "ecdsa-sha2-nistp256"},
                                           HostKeyCase{"p384", "ecdsa", "384", "ecdsa-sha2-nistp384"},
                                           HostKeyCase{"p521", "ecdsa", "521", "ecdsa-sha2-nistp521"},
                                           HostKeyCase{"rsa512", "rsa", "3072", "rsa-sha2-512"},
                                           HostKeyCase{"rsa256", "rsa", "3072", "rsa-sha2-256"}),
                         [](const auto& tested) { return tested.param.name; });

TEST(ServeWire, RekeysFromBothSides) {
  const auto server =
      ServeProcess::start({.arguments = {"-o", "RekeyLimit=256K", "-o", "KexAlgorithms=curve25519-sha256"}});
  ASSERT_NE(server, nullptr);
  const Payload payload(server->folder(), 4 << 20);
  const std::string input = " < " + payload.path().string();
  EXPECT_EQ(server->bash("$SSH cat" + input + " | sha256sum").output, payload.sha256() + "  -\n");
  EXPECT_EQ(server->bash("$SSH -o RekeyLimit=300K cat" + input + " | sha256sum").output, payload.sha256() + "  -\n");
  EXPECT_EQ(server->bash("$PLUMB cat" + input + " | sha256sum").output, payload.sha256() + "  -\n");
}

TEST(ServeWire, KeyExchangeMethodsThatAreNamed) {
  const auto server = ServeProcess::start({.arguments = {"-o", "KexAlgorithms=ecdh-sha2-nistp256,curve25519-sha256"}});
  ASSERT_NE(server, nullptr);
  EXPECT_EQ(server->bash("$SSH -o KexAlgorithms=ecdh-sha2-nistp256 echo in").output, "in\n");
  EXPECT_THAT(
      server->bash("ssh -o LogLevel=INFO -o KexAlgorithms=diffie-hellman-group16-sha512 $OPTIONS $AT true").error,
      HasSubstr("no matching key exchange method found"));
}

TEST(ServeWire, AeadOnlyOffersNoMacs) {
  const auto server = ServeProcess::start({.arguments = {"--aead-only"}});
  ASSERT_NE(server, nullptr);
  EXPECT_EQ(server->bash("$SSH echo in").output, "in\n");
  EXPECT_EQ(server->bash("$SSH -c aes128-gcm@openssh.com -m hmac-sha1 echo in").output, "in\n");
  EXPECT_EQ(server->bash("$PLUMB echo in").output, "in\n");
  EXPECT_THAT(server->bash("ssh -o LogLevel=INFO -c aes128-ctr $OPTIONS $AT true").error,
              HasSubstr("no matching cipher found"));
}

class ServeAudit : public ::testing::TestWithParam<std::vector<std::string>> {};

TEST_P(ServeAudit, FindsNothing) {
  if (testing::run_words({"ssh-audit", "--help"}).exit_code == -1)
    GTEST_SKIP() << "ssh-audit is not installed: tools/setup.sh";
  const auto server = ServeProcess::start({.arguments = GetParam()});
  ASSERT_NE(server, nullptr);
  // Versions before 3.0 do not know strict key exchange and newer methods, and take sntrup761 for an experiment:
  // OpenSSH's default since 9.0.
  const ProgramResult audit = server->bash("ssh-audit -n -b 127.0.0.1:" + std::to_string(server->port()) +
                                           " | grep -v -e 'unknown algorithm' -e 'sntrup761.*experimental'");
  EXPECT_THAT(audit.output, Not(HasSubstr("[warn]"))) << audit.output;
  EXPECT_THAT(audit.output, Not(HasSubstr("[fail]"))) << audit.output;
  EXPECT_THAT(audit.output, HasSubstr("(kex) curve25519-sha256"));
}

INSTANTIATE_TEST_SUITE_P(Wire, ServeAudit,
                         ::testing::Values(std::vector<std::string>{}, std::vector<std::string>{"--aead-only"}),
                         [](const auto& tested) { return tested.param.empty() ? "Default" : "AeadOnly"; });

}  // namespace
}  // namespace plumb
