// The real ssh against our server: who is right about the wire is not for us to say.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "interop/own_server.h"
#include "interop/scratch_folder.h"
#include "interop/subprocess.h"
#include "kex/methods.h"
#include "keys/known_hosts.h"
#include "keys/public_line.h"
#include "packet/cipher_suite.h"
#include "session/policy.h"
#include "tests/interop/prompting_server.h"

namespace plumb::testing {
namespace {

namespace fs = std::filesystem;

// ssh needs a tenth of a second for each exchange of its default method: too long for hundreds.
const std::vector<std::string> kQuickKex{"-o", "KexAlgorithms=curve25519-sha256"};

class SshToServer : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::path(::testing::TempDir()) / ("plumb_ssh_" + std::to_string(::getpid()) + "_" + name());
    fs::create_directories(folder_);
    if (!run({"ssh", "-V"}).started) GTEST_SKIP() << "install openssh-client to run this test";
    make_key("ed25519", "user");
    host_key_ = generate_ed25519(system_random());
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

  PublicKey public_key(const std::string& file) const { return parse_public_file(text_of(path(file + ".pub")))->key; }

  /// One that shows `host_key_` and lets in who has the key "user".
  ServerOptions options() const {
    ServerOptions options = *OwnServer::options();
    options.host_keys = {host_key_};
    options.access.keys = {public_key("user")};
    return options;
  }

  void start(ServerOptions options) {
    auto server = OwnServer::start(std::move(options));
    ASSERT_TRUE(server) << server.error();
    server_ = *std::move(server);
  }
  void start() { start(options()); }

  /// `ssh` with everything of the system's configuration left out.
  ProgramResult ssh(uint16_t port, const PublicKey& host_key, std::vector<std::string> options,
                    const std::string& command, const std::string& input = {}) {
    write_file("known_hosts", known_hosts_line("127.0.0.1", port, host_key));
    std::vector<std::string> argv{"ssh", "-F", "none", "-p", std::to_string(port), "-i", path("user")};
    for (const std::string& line :
         {"UserKnownHostsFile=" + path("known_hosts"), std::string("GlobalKnownHostsFile=none"),
          std::string("StrictHostKeyChecking=yes"), std::string("IdentitiesOnly=yes"),
          std::string("IdentityAgent=none"), std::string("ConnectTimeout=10")}) {
      argv.emplace_back("-o");
      argv.push_back(line);
    }
    argv.insert(argv.end(), options.begin(), options.end());
    argv.push_back(at());
    if (!command.empty()) argv.push_back(command);
    std::map<std::string, std::string> environment{
        {"SSH_ASKPASS", path("askpass")}, {"SSH_ASKPASS_REQUIRE", "force"}, {"DISPLAY", ":0"}};
    return run(std::move(argv), input, environment);
  }
  ProgramResult ssh(std::vector<std::string> options, const std::string& command, const std::string& input = {}) {
    return ssh(server_->port(), host_key_->public_key(), std::move(options), command, input);
  }
  static std::string at() { return Account::own()->name + "@127.0.0.1"; }

  void expect_cat(std::vector<std::string> options, size_t size = 200000) {
    std::string input(size, '\0');
    for (size_t i = 0; i < size; i++) input[i] = static_cast<char>(i * 31 + i / 251);
    const ProgramResult result = ssh(std::move(options), "cat", input);
    EXPECT_EQ(result.exit_code, 0) << result.error;
    EXPECT_TRUE(result.output == input) << result.output.size() << " of " << size << " bytes: " << result.error;
  }

  ConnectionRecord last_record(size_t count) const {
    const std::vector<ConnectionRecord> records = server_->records(count);
    EXPECT_EQ(records.size(), count);
    return records.empty() ? ConnectionRecord{} : records.back();
  }

  fs::path folder_;
  std::shared_ptr<const PrivateKey> host_key_;
  std::unique_ptr<OwnServer> server_;
};

TEST_F(SshToServer, C1C60C66LogsInWithAKeyAndRunsCommands) {
  ServerOptions served = options();
  served.sessions.environment = {"PLUMB_*"};
  served.sessions.subsystems["echo"] = "cat";
  start(std::move(served));
  expect_cat({});
  const ProgramResult failed = ssh({}, "printf oops >&2; exit 7");
  EXPECT_EQ(failed.exit_code, 7);
  EXPECT_EQ(failed.error, "oops");
  EXPECT_EQ(ssh({}, "head -c 1000000 /dev/zero").output, std::string(1000000, '\0'));
  EXPECT_NE(ssh({}, "kill -KILL $$").exit_code, 0);
  EXPECT_EQ(ssh({"-o", "SetEnv=PLUMB_TEST=across"}, "printf %s \"$PLUMB_TEST\"").output, "across");
  EXPECT_NE(ssh({"-tt"}, "tty").output.find("/dev/pts/"), std::string::npos);
  EXPECT_EQ(ssh({"-s"}, "echo", "through a subsystem").output, "through a subsystem");
  EXPECT_NE(ssh({"-s"}, "no-such").exit_code, 0);
  EXPECT_EQ(ssh({}, "", "echo a shell\n").output, "a shell\n");
  const ConnectionRecord record = last_record(9);
  EXPECT_EQ(record.let_in_by, "publickey ssh-ed25519");
  EXPECT_EQ(record.sessions, 1u);
  EXPECT_TRUE(record.identification.starts_with("SSH-2.0-OpenSSH_")) << record.identification;
}

TEST_F(SshToServer, C29EveryKexThatBothHave) {
  start();
  const std::string known = run({"ssh", "-Q", "kex"}).output;
  size_t tried = 0;
  for (const KexMethod& method : kex_methods()) {
    if (("\n" + known).find("\n" + std::string(method.name) + "\n") == std::string::npos) continue;
    SCOPED_TRACE(method.name);
    expect_cat({"-o", "KexAlgorithms=" + std::string(method.name)}, 5000);
    const ConnectionRecord record = last_record(++tried);
    ASSERT_TRUE(record.agreed);
    EXPECT_EQ(record.agreed->kex->name, method.name);
  }
  EXPECT_GE(tried, 3u);
}

TEST_F(SshToServer, C8C33C34C37C38RekeysOfTheClientEveryCipherUnderLoadBothWays) {
  ServerOptions served = options();
  served.connection.algorithms = *make_algorithms(Policy::kLegacy);
  start(std::move(served));
  size_t runs = 0;
  for (const CipherSpec& cipher : cipher_specs()) {
    SCOPED_TRACE(cipher.name);
    expect_cat({"-c", std::string(cipher.name), "-o", "RekeyLimit=256K", kQuickKex[0], kQuickKex[1]}, 3 << 20);
    EXPECT_GE(last_record(++runs).key_exchanges, 6u);
  }
}

TEST_F(SshToServer, C33C37C39RekeysOfTheServer) {
  ServerOptions served = options();
  served.connection.rekey.bytes = 64 * 1024;
  // What ssh may have sent before it sees our KEXINIT: with the limit, 128 KiB at most between two exchanges.
  served.connection.channel_window = served.connection.channel_window_limit = 64 * 1024;
  start(std::move(served));
  expect_cat(kQuickKex, 3 << 20);
  EXPECT_GE(last_record(1).key_exchanges, 20u);
  expect_cat({kQuickKex[0], kQuickKex[1], "-o", "RekeyLimit=64K"}, 3 << 20);
}

TEST_F(SshToServer, PasswordAndItsRefusal) {
  ServerOptions served = options();
  served.access.password = [](std::string_view, std::string_view password) { return password == "secret"; };
  start(std::move(served));
  write_file("askpass", "#!/bin/sh\necho secret\n", true);
  const std::vector<std::string> asks{"-o", "PreferredAuthentications=password", "-o", "NumberOfPasswordPrompts=1"};
  EXPECT_EQ(ssh(asks, "exit 3").exit_code, 3);
  EXPECT_EQ(last_record(1).let_in_by, "password");
  write_file("askpass", "#!/bin/sh\necho wrong\n", true);
  const ProgramResult refused = ssh(asks, "exit 3");
  EXPECT_EQ(refused.exit_code, 255);
  EXPECT_NE(refused.error.find("Permission denied"), std::string::npos) << refused.error;
  EXPECT_EQ(last_record(2).let_in_by, "");
}

TEST_F(SshToServer, KeyboardInteractiveWithTwoQuestions) {
  const PromptingServer server(PromptingRule::kTwoQuestions);
  write_file("askpass", "#!/bin/sh\necho secret\n", true);
  EXPECT_EQ(ssh(server.port(), server.host_key(), {}, "true").exit_code, 3);
}

TEST_F(SshToServer, AKeyAndThenAPassword) {
  const PromptingServer server(PromptingRule::kKeyThenPassword);
  write_file("askpass", "#!/bin/sh\necho secret\n", true);
  EXPECT_EQ(ssh(server.port(), server.host_key(), {}, "true").exit_code, 3);
}

TEST_F(SshToServer, ABannerIsShown) {
  ServerOptions served = options();
  served.connection.auth.banner = "Welcome to the test\r\n";
  start(std::move(served));
  EXPECT_NE(ssh({}, "true").error.find("Welcome to the test"), std::string::npos);
}

TEST_F(SshToServer, C64ServerAliveAndClientAliveWhileIdle) {
  ServerOptions served = options();
  served.connection.keepalive = {.interval = std::chrono::milliseconds(100), .count = 2};
  start(std::move(served));
  // The command waits for input that comes after two seconds.
  const ProgramResult result =
      run({"sh", "-c",
           "(sleep 2; echo late) | ssh -F none -p " + std::to_string(server_->port()) + " -i " + path("user") +
               " -o StrictHostKeyChecking=no -o UserKnownHostsFile=/dev/null -o IdentitiesOnly=yes"
               " -o ServerAliveInterval=1 -o ServerAliveCountMax=1 -o LogLevel=ERROR " +
               at() + " cat"});
  EXPECT_EQ(result.output, "late\n") << result.error;
}

TEST_F(SshToServer, UpdateHostKeysLearnsTheSecondKey) {
  const std::shared_ptr<const PrivateKey> second = generate_ed25519(system_random());
  ServerOptions served = options();
  served.host_keys.push_back(second);
  served.connection.update_host_keys = true;
  start(std::move(served));
  write_file("known", known_hosts_line("127.0.0.1", server_->port(), host_key_->public_key()));
  const ProgramResult learning = run({"ssh", "-F", "none", "-p", std::to_string(server_->port()), "-i", path("user"),
                                      "-o", "UserKnownHostsFile=" + path("known"), "-o", "UpdateHostKeys=yes", "-o",
                                      "IdentitiesOnly=yes", "-o", "HashKnownHosts=no", at(), "cat"},
                                     "x");
  EXPECT_EQ(learning.exit_code, 0) << learning.error;
  const std::string known = text_of(path("known"));
  EXPECT_EQ(KnownHosts::parse(known).check("127.0.0.1", server_->port(), second->public_key()), HostVerdict::kMatch)
      << known << learning.error;
}

}  // namespace
}  // namespace plumb::testing
