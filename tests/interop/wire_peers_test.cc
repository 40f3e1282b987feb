// Peers that are gone, silent, rude or not who they should be: one clear sentence, exit code 255, and nothing hangs.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>

#include "tests/interop/raw_server.h"
#include "tests/interop/wire.h"

namespace plumb {
namespace {

namespace fs = std::filesystem;
using Then = RawServer::Then;

/// `plumb exec` without any server of ours: keys and known_hosts in a folder of the test's own.
ProgramResult run_against(uint16_t port, const std::vector<std::string>& options = {}) {
  ProgramRequest request;
  request.argv = {PLUMB_PROGRAM, "exec",          "-p", std::to_string(port), "-o", "UserKnownHostsFile=/dev/null",
                  "-o",          "BatchMode=yes", "-o", "ConnectTimeout=2"};
  request.argv.insert(request.argv.end(), options.begin(), options.end());
  request.argv.insert(request.argv.end(), {"nobody@127.0.0.1", "true"});
  request.timeout = std::chrono::seconds(30);
  return run_program(request);
}

/// One sentence on standard error that holds `word`, nothing on standard output, exit code 255.
void expect_sentence(const ProgramResult& result, const std::string& word) {
  EXPECT_FALSE(result.timed_out);
  EXPECT_EQ(result.exit_code, 255) << result.error;
  EXPECT_EQ(result.output, "");
  EXPECT_EQ(std::ranges::count(result.error, '\n'), 1) << result.error;
  EXPECT_NE(result.error.find(word), std::string::npos) << result.error;
}

TEST(WirePeers, NobodyListens) {
  auto server = RawServer::start("", Then::kClose);
  ASSERT_TRUE(server);
  const uint16_t port = server->port();
  server.reset();
  expect_sentence(run_against(port), "refused");
}

TEST(WirePeers, SilentOne) {
  const auto server = RawServer::start("", Then::kHold);
  ASSERT_TRUE(server);
  expect_sentence(run_against(server->port()), "127.0.0.1");
}

TEST(WirePeers, ClosesAtOnce) {
  const auto server = RawServer::start("", Then::kClose);
  ASSERT_TRUE(server);
  expect_sentence(run_against(server->port()), "closed");
}

TEST(WirePeers, ResetsAtOnce) {
  const auto server = RawServer::start("", Then::kReset);
  ASSERT_TRUE(server);
  expect_sentence(run_against(server->port()), "127.0.0.1");
}

TEST(WirePeers, ClosesAfterItsIdentification) {
  const auto server = RawServer::start("SSH-2.0-Stump_1.0\r\n", Then::kClose);
  ASSERT_TRUE(server);
  expect_sentence(run_against(server->port()), "closed");
}

TEST(WirePeers, C18SpeaksAnotherVersion) {
  const auto server = RawServer::start("SSH-1.5-Old\r\n", Then::kHold);
  ASSERT_TRUE(server);
  expect_sentence(run_against(server->port()), "version");
}

TEST(WirePeers, C17TalksForEver) {
  const auto server = RawServer::start(std::string(200'000, 'A'), Then::kHold);
  ASSERT_TRUE(server);
  expect_sentence(run_against(server->port()), "127.0.0.1");
}

TEST(WirePeers, C23AsksForAHugePacket) {
  const auto server = RawServer::start("SSH-2.0-Huge_1.0\r\n" + std::string("\x7f\xff\xff\xfc", 4), Then::kHold);
  ASSERT_TRUE(server);
  expect_sentence(run_against(server->port()), "127.0.0.1");
}

class WireHostKey : public testing::Test {
 protected:
  /// The server's known_hosts file with `text` in place of what it held.
  static ProgramResult run_with_known_hosts(const SshdFixture& sshd, const std::string& text) {
    const fs::path path = sshd.folder() / "other_known_hosts";
    std::ofstream(path) << text;
    ProgramRequest request;
    request.argv = {PLUMB_PROGRAM,
                    "exec",
                    "-i",
                    sshd.client_key().string(),
                    "-p",
                    std::to_string(sshd.port()),
                    "-o",
                    "UserKnownHostsFile=" + path.string(),
                    "-o",
                    "BatchMode=yes",
                    sshd.destination(),
                    "echo in"};
    request.timeout = std::chrono::seconds(30);
    return run_program(request);
  }
};

TEST_F(WireHostKey, UnknownIsRefused) {
  PLUMB_START_SSHD(sshd, SshdOptions{});
  expect_sentence(run_with_known_hosts(sshd, ""), "known");
  EXPECT_FALSE(sshd.find_log("Accepted publickey"));
}

TEST_F(WireHostKey, ChangedIsRefused) {
  PLUMB_START_SSHD(sshd, SshdOptions{});
  const std::string key = "AAAAC3NzaC1lZDI1NTE5AAAAIAABAgMEBQYHCAkKCwwNDg8QERITFBUWFxgZGhscHR4f";
  const ProgramResult result =
      run_with_known_hosts(sshd, "[127.0.0.1]:" + std::to_string(sshd.port()) + " ssh-ed25519 " + key + "\n");
  EXPECT_EQ(result.exit_code, 255) << result.error;
  EXPECT_EQ(result.output, "");
  EXPECT_NE(result.error.find("changed"), std::string::npos) << result.error;
  EXPECT_FALSE(sshd.find_log("Accepted publickey"));
}

TEST(WireNegotiation, NothingInCommonNamesTheListAndBothOffers) {
  SshdOptions options;
  options.ciphers = "aes128-cbc";
  PLUMB_START_SSHD(sshd, options);
  const ExecRunResult result = run_plumb_exec(sshd, {.command = "true"});
  expect_sentence(result.program, "cipher");
  EXPECT_NE(result.program.error.find("aes128-cbc"), std::string::npos) << result.program.error;
}

TEST(WireUsage, UnknownCipherIsAMistakeOfTheCaller) {
  ProgramRequest request;
  request.argv = {PLUMB_PROGRAM, "exec", "-c", "rot13", "nobody@127.0.0.1", "true"};
  const ProgramResult result = run_program(request);
  EXPECT_EQ(result.exit_code, 2) << result.error;
  EXPECT_NE(result.error.find("rot13"), std::string::npos) << result.error;
}

}  // namespace
}  // namespace plumb
