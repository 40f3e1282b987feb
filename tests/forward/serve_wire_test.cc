// `plumb serve` on the wire with OpenSSH's client: every cipher and MAC, every host key type, rekeys, what an auditor
// says.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "interop/scratch_folder.h"
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

TEST_P(ServePairs, C1C5C7BytesThereAndBack) {
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

/// The lines of sshd's moduli file for one size, "6143" being what it calls 6144 bits.
std::string moduli_of_size(const std::string& size) {
  std::ifstream file("/etc/ssh/moduli");
  std::string found;
  for (std::string line; std::getline(file, line);) {
    if (line.find(" " + size + " ") != std::string::npos) found += line + "\n";
  }
  return found;
}

TEST(ServeWire, C32GroupsComeFromSshdsFileOrFromOneThatIsNamed) {
  const std::string larger = moduli_of_size("6143");
  if (larger.empty()) GTEST_SKIP() << "there is no /etc/ssh/moduli (openssh-server)";
  const auto folder = make_scratch_folder("moduli");
  ASSERT_TRUE(folder) << folder.error();
  const std::string file = (*folder / "moduli").string();
  std::ofstream(file) << larger;
  const std::vector<std::string> exchange{"-o", "KexAlgorithms=diffie-hellman-group-exchange-sha256"};
  std::vector<std::string> named = exchange;
  named.insert(named.end(), {"-o", "ModuliFile=" + file});
  // For this cipher ssh asks for 3072 bits, which the built-in groups do not have.
  for (const auto& [arguments, bits] : {std::pair(exchange, "/3072"), std::pair(named, "/6144")}) {
    const auto server = ServeProcess::start({.arguments = arguments});
    ASSERT_NE(server, nullptr);
    const ProgramResult result = server->bash("$SSH -vv -c aes128-gcm@openssh.com echo in");
    EXPECT_EQ(result.output, "in\n");
    EXPECT_THAT(result.error, HasSubstr(bits));
  }
}

TEST(ServeWire, ModuliThatCannotServeAreRefusedAtTheStart) {
  const auto refusal = [](const std::string& file, const std::string& kex) {
    const ProgramResult result = testing::run_words(
        {PLUMB_PROGRAM, "serve", "--port", "0", "-o", "ModuliFile=" + file, "-o", "KexAlgorithms=" + kex});
    EXPECT_EQ(result.exit_code, 2);
    return result.error;
  };
  const std::string exchange = "+diffie-hellman-group-exchange-sha256";
  EXPECT_THAT(refusal("/no/such/file", exchange), HasSubstr("-o ModuliFile: /no/such/file: "));
  EXPECT_THAT(refusal("/etc/passwd", exchange), HasSubstr("seven fields of moduli(5)"));
  EXPECT_THAT(refusal("/dev/null", exchange), HasSubstr("has no group of 2048 to 8192 bits"));
  EXPECT_THAT(refusal("/dev/null", "curve25519-sha256"), HasSubstr("add -o KexAlgorithms=" + exchange));
}

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
