// The embedded server and our own client in one process.
#include "forward/server.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <mutex>
#include <thread>

#include "forward/exec_client.h"

namespace plumb {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;

class EmbeddedServer : public ::testing::Test {
 protected:
  EmbeddedServer() : key_(generate_ed25519(system_random())) {
    options_.host_keys.push_back(generate_ed25519(system_random()));
    options_.access.account = *Account::own();
    options_.access.account.shell = "/bin/sh";
    options_.access.authorized_keys_files.clear();
    options_.access.password = [](std::string_view, std::string_view password) { return password == "horse"; };
    options_.log = [this](LogLevel, std::string_view line) {
      const std::lock_guard lock(mutex_);
      log_ += std::string(line) + "\n";
    };
  }

  void start() {
    auto server = ServerThread::start(std::move(options_));
    ASSERT_TRUE(server) << server.error();
    server_ = *std::move(server);
  }

  ExecOutcome run(const std::string& command, const std::string& password = "horse") {
    ExecRequest request;
    request.host = "127.0.0.1";
    request.port = server_->port();
    request.user = Account::own()->name;
    request.command = command;
    request.host_key = [](const PublicKey&) { return Result<void>(); };
    request.keys = {key_.get()};
    request.password = [&] { return SecretBytes(as_bytes(password)); };
    request.total_timeout = 30s;
    return run_exec(request);
  }

  std::string log() {
    const std::lock_guard lock(mutex_);
    return log_;
  }

  std::unique_ptr<StoredKey> key_;
  ServerOptions options_;
  std::mutex mutex_;
  std::string log_;
  std::unique_ptr<ServerThread> server_;
};

TEST_F(EmbeddedServer, PasswordsThatTheCallerJudges) {
  start();
  const ExecOutcome in = run("exit 5");
  EXPECT_EQ(in.stage, ExecOutcome::Stage::kDone) << in.error_detail;
  EXPECT_EQ(in.exit_status, 5u);
  EXPECT_THAT(log(), HasSubstr("accepted password for "));
  EXPECT_EQ(run("true", "wrong").error.code, ErrorCode::kAuth);
  EXPECT_THAT(log(), HasSubstr("refused password for "));
  EXPECT_THAT(log(), Not(HasSubstr("horse")));
}

TEST_F(EmbeddedServer, NobodyComesInByNothing) {
  options_.access.password = nullptr;
  start();
  EXPECT_EQ(run("true").error.code, ErrorCode::kAuth);
}

TEST_F(EmbeddedServer, KeysThatTheCallerNames) {
  options_.access.password = nullptr;
  options_.access.keys.push_back(key_->public_key());
  start();
  EXPECT_EQ(run("exit 6").exit_status, 6u);
  EXPECT_THAT(log(), HasSubstr("accepted key ssh-ed25519 " + key_->public_key().fingerprint()));
}

TEST_F(EmbeddedServer, ManyAtOnce) {
  start();
  std::vector<std::future<ExecOutcome>> runs;
  for (unsigned i = 0; i < 8; i++)
    runs.push_back(std::async(std::launch::async, [this, i] { return run("exit " + std::to_string(i)); }));
  for (unsigned i = 0; i < 8; i++) EXPECT_EQ(runs[i].get().exit_status, i);
}

TEST_F(EmbeddedServer, StopEndsWhatRuns) {
  start();
  auto long_run = std::async(std::launch::async, [this] { return run("sleep 1000"); });
  while (log().find("accepted") == std::string::npos) std::this_thread::sleep_for(10ms);
  server_.reset();
  const ExecOutcome outcome = long_run.get();
  EXPECT_EQ(outcome.stage, ExecOutcome::Stage::kSession);
  EXPECT_THAT(outcome.error_detail, HasSubstr("the server is shut down"));
}

TEST_F(EmbeddedServer, AddressThatIsTakenIsNamed) {
  start();
  ServerOptions second;
  second.host_keys.push_back(generate_ed25519(system_random()));
  const auto refused = ServerThread::start(std::move(second), {.port = server_->port()});
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error(), HasSubstr("127.0.0.1 port " + std::to_string(server_->port()) + ": "));
}

}  // namespace
}  // namespace plumb
