// What scripts rely on in interop_probe and chacha_probe: exit codes, verdicts, JSON.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "interop/relay.h"
#include "tests/interop/raw_server.h"
#include "tests/interop/wire.h"

namespace plumb {
namespace {

using nlohmann::json;

ProgramResult run(std::vector<std::string> argv, const std::string& input = "") {
  ProgramRequest request;
  request.argv = std::move(argv);
  request.input = input;
  request.environment = {{"NO_COLOR", "1"}, {"COLUMNS", "120"}};
  return run_program(request);
}

ProgramResult chacha_probe(const SshdFixture& sshd, uint16_t port, std::vector<std::string> more = {}) {
  std::vector<std::string> argv{CHACHA_PROBE,
                                "-i",
                                sshd.client_key().string(),
                                "-p",
                                std::to_string(port),
                                "-o",
                                "UserKnownHostsFile=" + sshd.known_hosts_for(port).string(),
                                "-o",
                                "BatchMode=yes"};
  argv.insert(argv.end(), more.begin(), more.end());
  argv.push_back(sshd.destination());
  return run(std::move(argv));
}

TEST(ChaChaProbe, SaysOkForBoth) {
  PLUMB_START_SSHD(sshd, SshdOptions{});
  const ProgramResult result = chacha_probe(sshd, sshd.port(), {"--json", "-"});
  EXPECT_EQ(result.exit_code, 0) << result.error;
  const json report = json::parse(result.output);
  EXPECT_EQ(report["schema"], "plumb.chacha_probe/1");
  ASSERT_EQ(report["ciphers"].size(), 2u);
  for (const json& row : report["ciphers"]) {
    EXPECT_EQ(row["verdict"], "ok") << row;
    EXPECT_GE(row["reply_packets"], 8u);  // 256 KiB in packets of at most 32 KiB
  }
  EXPECT_EQ(report["ciphers"][0]["cipher"], "chacha20-poly1305@openssh.com");
  EXPECT_EQ(sshd.count_log("client->server cipher: chacha20-poly1305"), 2u);
  EXPECT_EQ(sshd.count_log("client->server cipher: aes256-ctr"), 2u);
}

TEST(ChaChaProbe, SaysFailedWhereTheServerHasNoChaCha) {
  SshdOptions options;
  options.ciphers = "aes256-ctr";
  PLUMB_START_SSHD(sshd, options);
  const ProgramResult result = chacha_probe(sshd, sshd.port());
  EXPECT_EQ(result.exit_code, 1) << result.output;
  EXPECT_NE(result.output.find("FAILED"), std::string::npos) << result.output;
  EXPECT_NE(result.output.find("ok"), std::string::npos) << result.output;
}

TEST(ChaChaProbe, SaysHungWhereTheReplyStopsComing) {
  PLUMB_START_SSHD(sshd, SshdOptions{});
  const RelayPath swallows{.events = {{.at = 100'000, .kind = RelayEvent::Kind::kBlackHole}}};
  const auto relay = Relay::start(sshd.port(), {}, swallows);
  ASSERT_TRUE(relay);
  const ProgramResult result = chacha_probe(sshd, relay->port(), {"--timeout", "2"});
  EXPECT_EQ(result.exit_code, 1) << result.output;
  EXPECT_NE(result.output.find("HUNG"), std::string::npos) << result.output;
}

TEST(ChaChaProbe, HostKeyAndLoginAndNetworkAreNotTheCipher) {
  PLUMB_START_SSHD(sshd, SshdOptions{});
  const std::string port = std::to_string(sshd.port());
  const std::string key = sshd.client_key().string();
  const std::string known = "UserKnownHostsFile=" + sshd.known_hosts().string();
  const std::vector<std::vector<std::string>> runs{
      {CHACHA_PROBE, "-i", key, "-p", port, "-o", "UserKnownHostsFile=/dev/null", "-o", "BatchMode=yes",
       sshd.destination()},
      {CHACHA_PROBE, "-i", key, "-p", port, "-o", known, "-o", "BatchMode=yes", "nobody@127.0.0.1"},
      {CHACHA_PROBE, "-i", key, "-p", "1", "-o", known, "-o", "BatchMode=yes", sshd.destination()}};
  for (const auto& argv : runs) {
    const ProgramResult result = run(argv);
    EXPECT_EQ(result.exit_code, 4) << result.output << result.error;
    EXPECT_EQ(std::ranges::count(result.output, '\n'), 1) << result.output;
  }
}

TEST(ChaChaProbe, TraceNamesMessagesAndKeys) {
  PLUMB_START_SSHD(sshd, SshdOptions{});
  const ProgramResult result = chacha_probe(sshd, sshd.port(), {"--trace"});
  EXPECT_EQ(result.exit_code, 0) << result.error;
  for (const char* word : {"KEXINIT", "NEWKEYS", "new keys: aes256-ctr", "CHANNEL_DATA", "seq 0"}) {
    EXPECT_NE(result.error.find(word), std::string::npos) << word;
  }
}

TEST(ChaChaProbe, UsageIsTwoAndAMissingKeyThree) {
  EXPECT_EQ(run({CHACHA_PROBE}).exit_code, 2);
  EXPECT_EQ(run({CHACHA_PROBE, "--timeout", "0", "root@127.0.0.1"}).exit_code, 2);
  EXPECT_EQ(run({CHACHA_PROBE, "-i", "/nonexistent/key", "root@127.0.0.1"}).exit_code, 3);
  EXPECT_EQ(run({CHACHA_PROBE, "--help"}).exit_code, 0);
  EXPECT_EQ(run({CHACHA_PROBE, "--version"}).exit_code, 0);
}

TEST(InteropProbe, ReproducesOneFaultAndSaysSoInJson) {
  if (const std::string why = SshdFixture::unavailable(); !why.empty()) GTEST_SKIP() << why;
  const ProgramResult result = run({INTEROP_PROBE, "reproduce", "--fault", "padding-counts-length", "--json", "-"});
  EXPECT_EQ(result.exit_code, 0) << result.error;
  const json report = json::parse(result.output);
  EXPECT_EQ(report["schema"], "plumb.interop_probe/1");
  EXPECT_TRUE(report.contains("environment"));
  EXPECT_EQ(report["unexpected"], 0);
  ASSERT_EQ(report["rows"].size(), 2u);
  EXPECT_TRUE(report["rows"][0]["fault"].is_null());
  EXPECT_EQ(report["rows"][1]["fault"], "padding-counts-length");
  EXPECT_NE(report["rows"][1]["answer"].get<std::string>().find("padding error: need 28 block 8 mod 4"),
            std::string::npos);
}

TEST(InteropProbe, TableStaysWithinTheWidthOfTheTerminal) {
  const ProgramResult result = run({INTEROP_PROBE, "reproduce", "--list"});
  EXPECT_EQ(result.exit_code, 0);
  for (size_t start = 0, end = 0; (end = result.output.find('\n', start)) != std::string::npos; start = end + 1) {
    EXPECT_LE(end - start, 120u) << result.output.substr(start, end - start);
  }
}

TEST(InteropProbe, UsageIsTwo) {
  EXPECT_EQ(run({INTEROP_PROBE}).exit_code, 2);
  EXPECT_EQ(run({INTEROP_PROBE, "reproduce", "--fault", "no-such-fault"}).exit_code, 2);
  EXPECT_EQ(run({INTEROP_PROBE, "reproduce", "--help"}).exit_code, 0);
  EXPECT_EQ(run({INTEROP_PROBE, "--version"}).exit_code, 0);
}

TEST(InteropProbe, DiagnosesALog) {
  const ProgramResult found = run({INTEROP_PROBE, "diagnose"}, "sshd[1]: Bad packet length 2455819106. [preauth]\n");
  EXPECT_EQ(found.exit_code, 0) << found.error;
  EXPECT_NE(found.output.find("keys"), std::string::npos) << found.output;
  EXPECT_EQ(run({INTEROP_PROBE, "diagnose"}, "all is well\n").exit_code, 1);
  EXPECT_EQ(run({INTEROP_PROBE, "diagnose", "/nonexistent/log"}).exit_code, 3);
}

}  // namespace
}  // namespace plumb
