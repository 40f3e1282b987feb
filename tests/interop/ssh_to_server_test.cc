// The real ssh against our server: who is right about the wire is not for us to say.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "interop/subprocess.h"
#include "keys/known_hosts.h"
#include "keys/signature.h"
#include "session/policy.h"
#include "tests/interop/loopback_server.h"

namespace plumb::testing {
namespace {

namespace fs = std::filesystem;

class SshToServer : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::path(::testing::TempDir()) / ("plumb_ssh_" + std::to_string(::getpid()) + "_" + name());
    fs::create_directories(folder_);
    if (!run({"ssh", "-V"}).started) GTEST_SKIP() << "install openssh-client to run this test";
    make_key("ed25519", "user");
  }
  void TearDown() override { fs::remove_all(folder_); }
  static std::string name() { return ::testing::UnitTest::GetInstance()->current_test_info()->name(); }

  static ProgramResult run(std::vector<std::string> argv, std::string input = {},
                           std::map<std::string, std::string> environment = {}) {
    ProgramRequest request;
    request.argv = std::move(argv);
    request.environment = std::move(environment);
    request.input = std::move(input);
    request.timeout = std::chrono::seconds(30);
    return run_program(request);
  }

  void make_key(const std::string& type, const std::string& file) {
    const ProgramResult made = run({"ssh-keygen", "-q", "-t", type, "-N", "", "-f", (folder_ / file).string()});
    ASSERT_EQ(made.exit_code, 0) << made.error;
  }

  std::string path(const std::string& file) const { return (folder_ / file).string(); }

  void write_file(const std::string& file, const std::string& text, bool executable = false) {
    std::ofstream(folder_ / file) << text;
    if (executable) fs::permissions(folder_ / file, fs::perms::owner_all);
  }

  /// `ssh` with everything of the system's configuration left out.
  ProgramResult ssh(const LoopbackServer& server, std::vector<std::string> options, const std::string& command,
                    const std::string& input = {}) {
    write_file("known_hosts", known_hosts_line("127.0.0.1", server.port(), server.host_key().public_key()));
    std::vector<std::string> argv{"ssh", "-F", "none", "-p", std::to_string(server.port()), "-i", path("user")};
    for (const std::string& line :
         {"UserKnownHostsFile=" + path("known_hosts"), std::string("GlobalKnownHostsFile=none"),
          std::string("StrictHostKeyChecking=yes"), std::string("IdentitiesOnly=yes"),
          std::string("IdentityAgent=none"), std::string("ConnectTimeout=10")}) {
      argv.emplace_back("-o");
      argv.push_back(line);
    }
    argv.insert(argv.end(), options.begin(), options.end());
    argv.emplace_back("user@127.0.0.1");
    if (!command.empty()) argv.push_back(command);
    std::map<std::string, std::string> environment{
        {"SSH_ASKPASS", path("askpass")}, {"SSH_ASKPASS_REQUIRE", "force"}, {"DISPLAY", ":0"}};
    return run(std::move(argv), input, environment);
  }

  void expect_cat(const LoopbackServer& server, std::vector<std::string> options, size_t size = 200000) {
    std::string input(size, '\0');
    for (size_t i = 0; i < size; i++) input[i] = static_cast<char>(i * 31 + i / 251);
    const ProgramResult result = ssh(server, std::move(options), "cat", input);
    EXPECT_EQ(result.exit_code, 0) << result.error;
    EXPECT_TRUE(result.output == input) << result.output.size() << " of " << size << " bytes: " << result.error;
  }

  LoopbackServer::Visit last_visit(const LoopbackServer& server, size_t count) {
    for (int i = 0; i < 500 && server.visits().size() < count; i++)
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    EXPECT_EQ(server.visits().size(), count);
    return server.visits().empty() ? LoopbackServer::Visit{} : server.visits().back();
  }

  fs::path folder_;
};

TEST_F(SshToServer, C1C60C66LogsInWithAKeyAndRunsCommands) {
  LoopbackServer server;
  expect_cat(server, {});
  EXPECT_EQ(ssh(server, {}, "fail 7 oops").exit_code, 7);
  EXPECT_EQ(ssh(server, {}, "fail 7 oops").error, "oops");
  EXPECT_EQ(ssh(server, {}, "zeros 1000000").output, std::string(1000000, '\0'));
  const ProgramResult died = ssh(server, {}, "die KILL");
  EXPECT_NE(died.exit_code, 0);
  EXPECT_EQ(ssh(server, {"-o", "SetEnv=PLUMB_TEST=across"}, "show PLUMB_TEST").output, "across");
  EXPECT_TRUE(ssh(server, {"-tt"}, "terminal").output.find(" ") != std::string::npos);
  EXPECT_EQ(ssh(server, {"-s"}, "echo", "through a subsystem").output, "through a subsystem");
  EXPECT_NE(ssh(server, {"-s"}, "no-such").exit_code, 0);
  EXPECT_EQ(ssh(server, {}, "", "a shell").output, "a shell");
  const LoopbackServer::Visit visit = last_visit(server, 10);
  EXPECT_EQ(visit.attempts, (std::vector<std::string>{"none", "query ssh-ed25519", "publickey ssh-ed25519"}));
}

TEST_F(SshToServer, C1C5C7EveryCipherAndMac) {
  LoopbackServer::Options with_legacy;
  with_legacy.config.algorithms = *make_algorithms(Policy::kLegacy);
  LoopbackServer server(with_legacy);
  for (const CipherSpec& cipher : cipher_specs()) {
    for (const MacSpec& mac : mac_specs()) {
      SCOPED_TRACE(std::string(cipher.name) + " " + std::string(mac.name));
      std::vector<std::string> options{"-c", std::string(cipher.name)};
      if (!cipher.aead) options.insert(options.end(), {"-m", std::string(mac.name)});
      expect_cat(server, options, 70000);
      if (cipher.aead) break;
    }
  }
}

TEST_F(SshToServer, C29EveryKexThatBothHave) {
  LoopbackServer server;
  const std::string known = run({"ssh", "-Q", "kex"}).output;
  size_t tried = 0;
  for (const KexMethod& method : kex_methods()) {
    if (("\n" + known).find("\n" + std::string(method.name) + "\n") == std::string::npos) continue;
    SCOPED_TRACE(method.name);
    expect_cat(server, {"-o", "KexAlgorithms=" + std::string(method.name)}, 5000);
    EXPECT_TRUE(last_visit(server, ++tried).agreed.starts_with(method.name));
  }
  EXPECT_GE(tried, 3u);
}

TEST_F(SshToServer, C8C33C34C37C38RekeysOfTheClientEveryCipherUnderLoadBothWays) {
  LoopbackServer server;
  size_t visits = 0;
  for (const CipherSpec& cipher : cipher_specs()) {
    SCOPED_TRACE(cipher.name);
    expect_cat(server, {"-c", std::string(cipher.name), "-o", "RekeyLimit=256K"}, 3 << 20);
    EXPECT_GE(last_visit(server, ++visits).key_exchanges, 6u);
  }
}

TEST_F(SshToServer, C33C37C39RekeysOfTheServer) {
  // A quick method: while ssh computes sntrup761 the data runs on, and fewer exchanges fit into it.
  const std::vector<std::string> quick{"-o", "KexAlgorithms=curve25519-sha256"};
  LoopbackServer server({.config = {}, .rekey_often = true});
  expect_cat(server, quick, 3 << 20);
  EXPECT_GE(last_visit(server, 1).key_exchanges, 20u);
  expect_cat(server, {quick[0], quick[1], "-o", "RekeyLimit=64K"}, 3 << 20);
}

TEST_F(SshToServer, PasswordAndItsRefusal) {
  LoopbackServer server;
  write_file("askpass", "#!/bin/sh\necho secret\n", true);
  const std::vector<std::string> options{"-o", "PreferredAuthentications=password", "-o", "NumberOfPasswordPrompts=1"};
  EXPECT_EQ(ssh(server, options, "fail 3 x").exit_code, 3);
  write_file("askpass", "#!/bin/sh\necho wrong\n", true);
  const ProgramResult refused = ssh(server, options, "fail 3 x");
  EXPECT_EQ(refused.exit_code, 255);
  EXPECT_NE(refused.error.find("Permission denied"), std::string::npos) << refused.error;
}

TEST_F(SshToServer, KeyboardInteractiveWithTwoQuestions) {
  LoopbackServer server({.config = {}, .keyboard = true});
  write_file("askpass", "#!/bin/sh\necho secret\n", true);
  EXPECT_EQ(ssh(server, {}, "fail 3 x").exit_code, 3);
}

TEST_F(SshToServer, AKeyAndThenAPassword) {
  LoopbackServer server({.config = {}, .partial = true});
  write_file("askpass", "#!/bin/sh\necho secret\n", true);
  EXPECT_EQ(ssh(server, {}, "fail 3 x").exit_code, 3);
  const LoopbackServer::Visit visit = last_visit(server, 1);
  EXPECT_EQ(visit.attempts.back(), "password");
}

TEST_F(SshToServer, ABannerIsShown) {
  ConnectionConfig config;
  config.auth.banner = "Welcome to the test\r\n";
  LoopbackServer server({.config = config});
  EXPECT_NE(ssh(server, {}, "fail 0 x").error.find("Welcome to the test"), std::string::npos);
}

TEST_F(SshToServer, RsaAndEcdsaUserKeys) {
  LoopbackServer server;
  make_key("rsa", "rsa");
  make_key("ecdsa", "ecdsa");
  write_file("user", "");
  for (const std::string key : {"rsa", "ecdsa"}) {
    const ProgramResult result = ssh(server, {"-i", path(key)}, "fail 4 x");
    EXPECT_EQ(result.exit_code, 4) << result.error;
  }
  const LoopbackServer::Visit visit = last_visit(server, 2);
  EXPECT_EQ(visit.attempts.back(), "publickey ecdsa-sha2-nistp256");
  EXPECT_EQ(server.visits().front().attempts.back(), "publickey rsa-sha2-512");
}

TEST_F(SshToServer, C64ServerAliveAndClientAliveWhileIdle) {
  ConnectionConfig config;
  config.keepalive = {.interval = std::chrono::milliseconds(100), .count = 2};
  LoopbackServer server({.config = config});
  // The command waits for input that comes after two seconds.
  const ProgramResult result =
      run({"sh", "-c",
           "(sleep 2; echo late) | ssh -F none -p " + std::to_string(server.port()) + " -i " + path("user") +
               " -o StrictHostKeyChecking=no -o UserKnownHostsFile=/dev/null -o IdentitiesOnly=yes"
               " -o ServerAliveInterval=1 -o ServerAliveCountMax=1 -o LogLevel=ERROR user@127.0.0.1 cat"});
  EXPECT_EQ(result.output, "late\n") << result.error;
}

TEST_F(SshToServer, UpdateHostKeysLearnsTheSecondKey) {
  const auto second = generate_ed25519(system_random());
  const auto first = generate_ed25519(system_random());
  ConnectionConfig config;
  config.update_host_keys = true;
  config.host_keys = {first.get(), second.get()};
  LoopbackServer server({.config = config});
  write_file("known", known_hosts_line("127.0.0.1", server.port(), first->public_key()));
  const ProgramResult learning = run({"ssh", "-F", "none", "-p", std::to_string(server.port()), "-i", path("user"),
                                      "-o", "UserKnownHostsFile=" + path("known"), "-o", "UpdateHostKeys=yes", "-o",
                                      "IdentitiesOnly=yes", "-o", "HashKnownHosts=no", "user@127.0.0.1", "cat"},
                                     "x");
  EXPECT_EQ(learning.exit_code, 0) << learning.error;
  std::ifstream file(path("known"));
  const std::string known((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  EXPECT_EQ(KnownHosts::parse(known).check("127.0.0.1", server.port(), second->public_key()), HostVerdict::kMatch)
      << known << learning.error;
}

}  // namespace
}  // namespace plumb::testing
