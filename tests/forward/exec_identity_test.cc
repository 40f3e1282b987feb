// The keys that `plumb exec` offers: files of every kind, agents, certificates. Judged by sshd, ssh-agent, ssh-keygen.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "interop/scratch_folder.h"
#include "tests/interop/wire.h"

namespace plumb {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

ProgramResult run(std::vector<std::string> argv, std::map<std::string, std::string> environment = {}) {
  ProgramRequest request;
  request.argv = std::move(argv);
  request.environment = std::move(environment);
  return run_program(request);
}

class ExecIdentity : public testing::Test {
 protected:
  void SetUp() override {
    SshdOptions options;
    options.log_level = "VERBOSE";
    if (std::string why = SshdFixture::unavailable(options); !why.empty()) GTEST_SKIP() << why;
    const auto scratch = make_scratch_folder("identity");
    ASSERT_TRUE(scratch) << scratch.error();
    folder_ = *scratch;
    make("ca", {"-t", "ed25519"});
    make("host", {"-t", "ed25519"});
    keygen({"-q", "-s", path("ca"), "-I", "host", "-h", "-n", "127.0.0.1", path("host.pub")});
    options.extra_lines = {"HostKey " + path("host"), "HostCertificate " + path("host-cert.pub"),
                           "TrustedUserCAKeys " + path("ca.pub")};
    auto started = SshdFixture::start(options);
    ASSERT_TRUE(started) << started.error();
    sshd_ = std::move(*started);
    std::ifstream file(path("ca.pub"));
    std::ofstream(path("hosts")) << "@cert-authority 127.0.0.1 "
                                 << std::string(std::istreambuf_iterator<char>(file), {});
  }
  void TearDown() override {
    if (!agent_.empty()) run({"ssh-agent", "-k"}, {{"SSH_AUTH_SOCK", socket()}, {"SSH_AGENT_PID", agent_}});
    sshd_.reset();
    std::error_code ignored;
    if (!folder_.empty()) fs::remove_all(folder_, ignored);
  }

  std::string path(const std::string& name) const { return (folder_ / name).string(); }
  std::string socket() const { return path("agent"); }

  void keygen(std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin(), "ssh-keygen");
    const ProgramResult result = run(arguments);
    ASSERT_EQ(result.exit_code, 0) << result.error;
  }
  void make(const std::string& name, std::vector<std::string> more, const std::string& passphrase = "") const {
    std::vector<std::string> arguments = {"-q", "-N", passphrase, "-C", "", "-f", path(name)};
    arguments.insert(arguments.end(), more.begin(), more.end());
    keygen(arguments);
  }
  void authorize(const std::string& name) const {
    std::ifstream file(path(name + ".pub"));
    std::ofstream(sshd_->folder() / "authorized_keys") << std::string(std::istreambuf_iterator<char>(file), {});
  }
  void certify(const std::string& name) const {
    keygen({"-q", "-s", path("ca"), "-I", "user", "-n", sshd_->user(), path(name + ".pub")});
  }
  void start_agent() {
    const ProgramResult started = run({"ssh-agent", "-s", "-a", socket()});
    ASSERT_EQ(started.exit_code, 0) << started.error;
    const size_t at = started.output.find("SSH_AGENT_PID=") + 14;
    agent_ = started.output.substr(at, started.output.find(';', at) - at);
  }
  void add_to_agent(const std::string& name) const {
    const ProgramResult added = run({"ssh-add", "-q", path(name)}, {{"SSH_AUTH_SOCK", socket()}});
    ASSERT_EQ(added.exit_code, 0) << added.error;
  }

  /// 7 if it came in.
  ProgramResult exec(std::vector<std::string> more, const std::string& socket = "") const {
    std::vector<std::string> argv = {
        PLUMB_PROGRAM, "exec",         "-p", std::to_string(sshd_->port()), "-o", "UserKnownHostsFile=" + path("hosts"),
        "-o",          "BatchMode=yes"};
    argv.insert(argv.end(), more.begin(), more.end());
    argv.insert(argv.end(), {sshd_->destination(), "exit 7"});
    return run(argv, {{"HOME", folder_.string()}, {"SSH_AUTH_SOCK", socket}});
  }

  fs::path folder_;
  std::unique_ptr<SshdFixture> sshd_;
  std::string agent_;
};

TEST_F(ExecIdentity, FilesOfEveryType) {
  make("ed25519", {"-t", "ed25519"});
  make("ecdsa256", {"-t", "ecdsa", "-b", "256"});
  make("ecdsa384", {"-t", "ecdsa", "-b", "384"});
  make("ecdsa521", {"-t", "ecdsa", "-b", "521"});
  make("rsa", {"-t", "rsa", "-b", "2048"});
  make("pem", {"-t", "rsa", "-b", "2048", "-m", "PEM"});
  for (const char* name : {"ed25519", "ecdsa256", "ecdsa384", "ecdsa521", "rsa", "pem"}) {
    authorize(name);
    const ProgramResult result = exec({"-i", path(name)});
    EXPECT_EQ(result.exit_code, 7) << name << ": " << result.error;
  }
}

TEST_F(ExecIdentity, CertificatesBesideTheKeyAndNamed) {
  for (const std::string type : {"ed25519", "ecdsa", "rsa"}) {
    make(type, {"-t", type});
    EXPECT_EQ(exec({"-i", path(type)}).exit_code, 255) << "nobody has authorised it yet";
    certify(type);
    EXPECT_EQ(exec({"-i", path(type)}).exit_code, 7) << type;
    fs::rename(path(type + "-cert.pub"), path(type + ".certificate"));
    EXPECT_EQ(exec({"-i", path(type)}).exit_code, 255);
    EXPECT_EQ(exec({"-i", path(type), "-o", "CertificateFile=" + path(type + ".certificate")}).exit_code, 7) << type;
  }
  const ProgramResult other = exec({"-i", path("ecdsa"), "-o", "CertificateFile=" + path("rsa.certificate")});
  EXPECT_THAT(other.error, HasSubstr("no private key for the certificate"));
}

TEST_F(ExecIdentity, KeysOfTheAgent) {
  start_agent();
  make("held", {"-t", "rsa", "-b", "2048"});
  make("free", {"-t", "ed25519"});
  authorize("held");
  add_to_agent("held");
  EXPECT_EQ(exec({}, socket()).exit_code, 7);
  EXPECT_EQ(exec({"-o", "IdentityAgent=" + socket()}).exit_code, 7);
  EXPECT_EQ(exec({"-o", "IdentityAgent=none"}, socket()).exit_code, 255);
  EXPECT_EQ(exec({"-i", path("free")}, socket()).exit_code, 7) << "the agent's other keys are offered too";
  EXPECT_EQ(exec({"-i", path("free"), "-o", "IdentitiesOnly=yes"}, socket()).exit_code, 255);
  fs::remove(path("held"));
  EXPECT_EQ(exec({"-i", path("held"), "-o", "IdentitiesOnly=yes"}, socket()).exit_code, 7) << "its .pub is enough";
  EXPECT_THAT(exec({}, path("nobody")).error, HasSubstr("the agent at " + path("nobody")));
}

TEST_F(ExecIdentity, CertificatesOfTheAgent) {
  start_agent();
  make("held", {"-t", "ecdsa", "-b", "384"});
  certify("held");
  add_to_agent("held");  // takes the certificate along
  EXPECT_EQ(exec({}, socket()).exit_code, 7);
}

TEST_F(ExecIdentity, EncryptedFilesAskNobodyInBatchMode) {
  make("locked", {"-t", "ed25519", "-a", "2"}, "secret");
  authorize("locked");
  const ProgramResult refused = exec({"-i", path("locked")});
  EXPECT_EQ(refused.exit_code, 255);
  EXPECT_THAT(refused.error, HasSubstr("is encrypted, and there is nobody to ask"));
}

TEST_F(ExecIdentity, HostCertificates) {
  make("key", {"-t", "ed25519"});
  authorize("key");
  std::ifstream file(path("ca.pub"));
  const std::string authority(std::istreambuf_iterator<char>(file), {});
  std::ofstream(path("hosts")) << "@cert-authority 127.0.0.1 " << authority;
  const ProgramResult accepted = exec({"-i", path("key"), "-v"});
  EXPECT_EQ(accepted.exit_code, 7) << accepted.error;
  EXPECT_THAT(accepted.error, HasSubstr("ssh-ed25519-cert-v01@openssh.com"));

  keygen({"-q", "-s", path("ca"), "-I", "host", "-h", "-n", "other.example", path("host.pub")});
  SshdOptions options;
  options.extra_lines = {"HostKey " + path("host"), "HostCertificate " + path("host-cert.pub")};
  auto started = SshdFixture::start(options);
  ASSERT_TRUE(started) << started.error();
  sshd_ = std::move(*started);
  const ProgramResult refused = exec({"-i", path("key")});
  EXPECT_EQ(refused.exit_code, 255);
  EXPECT_THAT(refused.error, HasSubstr("the certificate is for another host name"));
}

}  // namespace
}  // namespace plumb
