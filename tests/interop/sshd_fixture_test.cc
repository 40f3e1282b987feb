// The private server itself, with the system's own ssh as its client.
#include "interop/sshd_fixture.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <thread>

#include "interop/subprocess.h"

namespace plumb {
namespace {

namespace fs = std::filesystem;

std::string text_of(const fs::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

ProgramRequest ssh_request(const SshdFixture& sshd, const std::string& command) {
  ProgramRequest request;
  request.argv = {"ssh",
                  "-F",
                  "none",
                  "-p",
                  std::to_string(sshd.port()),
                  "-i",
                  sshd.client_key().string(),
                  "-o",
                  "IdentitiesOnly=yes",
                  "-o",
                  "IdentityAgent=none",
                  "-o",
                  "BatchMode=yes",
                  "-o",
                  "StrictHostKeyChecking=yes",
                  "-o",
                  "UserKnownHostsFile=" + sshd.known_hosts().string(),
                  sshd.destination(),
                  command};
  return request;
}

ProgramResult run_ssh(const SshdFixture& sshd, const std::string& command) {
  return run_program(ssh_request(sshd, command));
}

class SshdFixtureTest : public testing::Test {
 protected:
  void SetUp() override {
    if (const std::string why = SshdFixture::unavailable(); !why.empty()) GTEST_SKIP() << why;
  }
};

TEST_F(SshdFixtureTest, SystemClientLogsInAndRunsACommand) {
  const auto sshd = SshdFixture::start();
  ASSERT_TRUE(sshd) << sshd.error();
  const ProgramResult result = run_ssh(**sshd, "echo true on the wire; echo $SHLVL >&2; exit 7");
  EXPECT_EQ(result.exit_code, 7) << result.error;
  EXPECT_EQ(result.output, "true on the wire\n");
  EXPECT_TRUE((*sshd)->wait_for_log("Accepted publickey for " + (*sshd)->user()));
}

TEST_F(SshdFixtureTest, OffersExactlyWhatItWasTold) {
  SshdOptions options;
  options.ciphers = "aes192-ctr";
  options.macs = "hmac-sha2-512-etm@openssh.com";
  options.kex = "ecdh-sha2-nistp256";
  options.host_key_algorithms = "rsa-sha2-256";
  const auto sshd = SshdFixture::start(options);
  ASSERT_TRUE(sshd) << sshd.error();
  const ProgramResult result = run_ssh(**sshd, "true");
  EXPECT_EQ(result.exit_code, 0) << result.error;
  EXPECT_TRUE((*sshd)->wait_for_log("kex: algorithm: ecdh-sha2-nistp256"));
  EXPECT_TRUE((*sshd)->wait_for_log("kex: host key algorithm: rsa-sha2-256"));
  EXPECT_TRUE((*sshd)->wait_for_log("client->server cipher: aes192-ctr MAC: hmac-sha2-512-etm@openssh.com"));
}

TEST_F(SshdFixtureTest, TwoServersLiveSideBySide) {
  const auto first = SshdFixture::start();
  const auto second = SshdFixture::start();
  ASSERT_TRUE(first) << first.error();
  ASSERT_TRUE(second) << second.error();
  EXPECT_NE((*first)->port(), (*second)->port());
  EXPECT_EQ(run_ssh(**first, "true").exit_code, 0);
  EXPECT_EQ(run_ssh(**second, "true").exit_code, 0);
}

TEST_F(SshdFixtureTest, ConfigurationErrorIsReportedInTheServersWords) {
  SshdOptions options;
  options.ciphers = "rot13";
  const auto sshd = SshdFixture::start(options);
  ASSERT_FALSE(sshd);
  EXPECT_NE(sshd.error().find("rot13"), std::string::npos) << sshd.error();
}

TEST_F(SshdFixtureTest, EndTakesSessionsAndFilesAlong) {
  auto sshd = SshdFixture::start();
  ASSERT_TRUE(sshd) << sshd.error();
  const fs::path folder = (*sshd)->folder();
  const fs::path pid_file = folder / "pid";
  const ProgramRequest request = ssh_request(**sshd, "setsid sleep 1000 & echo $! >" + pid_file.string() + "; wait");
  std::thread session([&request] { run_program(request); });
  while (text_of(pid_file).find('\n') == std::string::npos) std::this_thread::sleep_for(std::chrono::milliseconds(10));
  sshd->reset();
  session.join();
  EXPECT_FALSE(fs::exists(folder));

  ProgramRequest ps;
  ps.argv = {"ps", "-eo", "args"};
  EXPECT_EQ(run_program(ps).output.find(folder.string()), std::string::npos);
}

TEST_F(SshdFixtureTest, NothingIsLeftWhenItsOwnerIsKilled) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  const pid_t owner = fork();
  if (owner == 0) {
    const auto sshd = SshdFixture::start();
    const std::string said = sshd ? std::to_string((*sshd)->port()) + " " + (*sshd)->folder().string() : std::string();
    (void)!write(ends[1], said.c_str(), said.size() + 1);
    pause();
    _exit(0);
  }
  char said[512] = {};
  ASSERT_GT(read(ends[0], said, sizeof said), 1);
  const fs::path folder = std::string(said).substr(std::string(said).find(' ') + 1);
  ASSERT_TRUE(fs::exists(folder));
  kill(owner, SIGKILL);
  waitpid(owner, nullptr, 0);
  close(ends[0]);
  close(ends[1]);

  const auto listed = [&folder] {
    ProgramRequest ps;
    ps.argv = {"ps", "-eo", "args"};
    return run_program(ps).output.find("-f " + folder.string() + "/sshd_config") != std::string::npos;
  };
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(30);
  while ((fs::exists(folder) || listed()) && std::chrono::steady_clock::now() < deadline) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  EXPECT_FALSE(fs::exists(folder));
  EXPECT_FALSE(listed());
}

TEST_F(SshdFixtureTest, SystemStaysUntouched) {
  const std::string shadow = text_of("/etc/shadow");
  const bool run_sshd = fs::exists("/run/sshd");
  SshdOptions options;
  options.password = "correct horse";
  if (!SshdFixture::unavailable(options).empty()) options.password.reset();
  const auto sshd = SshdFixture::start(options);
  ASSERT_TRUE(sshd) << sshd.error();
  EXPECT_EQ(run_ssh(**sshd, "true").exit_code, 0);
  EXPECT_EQ(text_of("/etc/shadow"), shadow);
  EXPECT_EQ(fs::exists("/run/sshd"), run_sshd);
}

TEST_F(SshdFixtureTest, PasswordOfItsOwn) {
  SshdOptions options;
  options.password = "correct horse";
  options.public_key = false;
  if (const std::string why = SshdFixture::unavailable(options); !why.empty()) GTEST_SKIP() << why;
  const auto sshd = SshdFixture::start(options);
  ASSERT_TRUE(sshd) << sshd.error();
  const fs::path askpass = (*sshd)->folder() / "askpass";
  std::ofstream(askpass) << "#!/bin/sh\necho correct horse\n";
  fs::permissions(askpass, fs::perms::owner_all);
  ProgramRequest request;
  request.environment = {{"SSH_ASKPASS", askpass.string()}, {"SSH_ASKPASS_REQUIRE", "force"}};
  request.argv = {"ssh",
                  "-F",
                  "none",
                  "-p",
                  std::to_string((*sshd)->port()),
                  "-o",
                  "PubkeyAuthentication=no",
                  "-o",
                  "UserKnownHostsFile=" + (*sshd)->known_hosts().string(),
                  (*sshd)->destination(),
                  "echo in"};
  const ProgramResult result = run_program(request);
  EXPECT_EQ(result.output, "in\n") << result.error;
  EXPECT_TRUE((*sshd)->wait_for_log("Accepted password for"));
}

}  // namespace
}  // namespace plumb
