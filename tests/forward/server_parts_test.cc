// The parts of a server that need no client: children and their terminals, environments, limits, offers.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>
#include <fstream>

#include "channels/terminal_modes.h"
#include "forward/access_rules.h"
#include "forward/child_process.h"
#include "forward/login.h"
#include "forward/pty.h"
#include "forward/startup_limit.h"
#include "forward/terminal_flags.h"
#include "forward/trusted_file.h"
#include "interop/scratch_folder.h"
#include "kex/methods.h"
#include "net/runtime.h"
#include "packet/cipher_suite.h"
#include "session/policy.h"
#include "session/server_offer.h"
#include "tests/testing/seeded_random.h"

namespace plumb {
namespace {

using namespace std::chrono_literals;
using ::testing::Contains;
using ::testing::ContainsRegex;
using ::testing::Each;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

// ---- Children

class Children : public ::testing::Test {
 protected:
  void SetUp() override {
    auto made = Runtime::create();
    ASSERT_TRUE(made);
    runtime_ = std::move(*made);
  }

  ChildRequest shell(const std::string& command) {
    return {.program = "/bin/sh",
            .arguments = {"sh", "-c", command},
            .environment = {"PATH=/usr/bin:/bin", "A=b"},
            .folder = "/usr",
            .terminal = {}};
  }

  std::unique_ptr<ChildProcess> start(const ChildRequest& request) {
    auto child = ChildProcess::start(runtime_->io(), request, [this](const ChildEnd& end) {
      end_ = end;
      ended_ = true;
    });
    EXPECT_TRUE(child) << describe(child.error());
    return child ? std::move(*child) : nullptr;
  }

  /// All that a file gives until its end.
  std::string read_all(LocalFile& file) {
    std::string text;
    for (;;) {
      uint8_t space[4096];
      const auto n = file.read_some(space);
      if (!n || (*n && **n == 0)) break;
      if (*n) {
        text.append(reinterpret_cast<const char*>(space), **n);
        continue;
      }
      bool ready = false;
      file.async_ready([&] { ready = true; });
      runtime_->run_until(ready);
    }
    return text;
  }

  std::unique_ptr<Runtime> runtime_;
  ChildEnd end_;
  bool ended_ = false;
};

TEST_F(Children, RunWithPipesAndReportTheirEnd) {
  const auto child = start(shell("cat; echo $A $PWD; echo wrong >&2; exit 7"));
  ASSERT_NE(child, nullptr);
  auto input = child->take_input();
  const auto output = child->take_output(), error = child->take_error();
  ASSERT_EQ(input->write_some(as_bytes("in\n")).value_or(0), 3u);
  input.reset();
  EXPECT_EQ(read_all(*output), "in\nb /usr\n");
  EXPECT_EQ(read_all(*error), "wrong\n");
  runtime_->run_until(ended_);
  EXPECT_TRUE(end_.known);
  EXPECT_EQ(end_.status, 7);
  EXPECT_EQ(end_.signal, 0);
}

TEST_F(Children, SignalsGoToTheGroup) {
  const auto child = start(shell("sleep 1000 & wait"));
  ASSERT_NE(child, nullptr);
  child->send_signal(signal_number("TERM"));
  runtime_->run_until(ended_);
  EXPECT_EQ(end_.signal, SIGTERM);
  EXPECT_EQ(read_all(*child->take_output()), "");  // the sleeper that had it open is gone as well
  child->send_signal(SIGKILL);                     // to nobody: its number may be another's by now
}

TEST_F(Children, OwnerThatGoesHangsUpAndNobodyIsLeftUnreaped) {
  auto child = start(shell("exec sleep 1000"));
  ASSERT_NE(child, nullptr);
  const pid_t id = child->id();
  child.reset();
  runtime_->io().restart();
  runtime_->io().run_for(5s);
  EXPECT_FALSE(ended_);
  EXPECT_EQ(kill(id, 0), -1);
  EXPECT_EQ(errno, ESRCH);
}

TEST_F(Children, OtherChildrenOfThisProcessAreNotReaped) {
  const pid_t other = fork();
  if (other == 0) _exit(3);
  const auto child = start(shell("sleep 0.1"));
  ASSERT_NE(child, nullptr);
  runtime_->run_until(ended_);
  int status = 0;
  EXPECT_EQ(waitpid(other, &status, 0), other);
  EXPECT_EQ(WEXITSTATUS(status), 3);
}

TEST_F(Children, ProgramThatIsMissingIsAnError) {
  ChildRequest request = shell("true");
  request.program = "/nothing/here";
  const auto child = ChildProcess::start(runtime_->io(), request, nullptr);
  ASSERT_FALSE(child);
  EXPECT_EQ(child.error().os_error, ENOENT);
}

TEST_F(Children, FolderThatIsMissingIsTheRoot) {
  ChildRequest request = shell("pwd");
  request.folder = "/nothing/here";
  const auto child = start(request);
  ASSERT_NE(child, nullptr);
  EXPECT_EQ(read_all(*child->take_output()), "/\n");
}

TEST_F(Children, TerminalControlsItsSession) {
  auto pty = Pty::open({.term = "x", .columns = 70, .rows = 30, .modes = {}});
  ASSERT_TRUE(pty) << describe(pty.error());
  ChildRequest request = shell("tty; stty size; ps -o pid=,sid=,tpgid= -p $$");
  request.terminal = pty->path();
  const auto child = start(request);
  ASSERT_NE(child, nullptr);
  pty->release_slave();
  const auto fd = pty->open_master();
  ASSERT_TRUE(fd);
  auto master = LocalFile::own(runtime_->io(), *fd, LocalFile::Use::kRead);
  ASSERT_TRUE(master);
  const std::string id = std::to_string(child->id());
  const std::string shown = read_all(**master);
  EXPECT_THAT(shown, HasSubstr(pty->path() + "\r\n30 70\r\n"));
  EXPECT_THAT(shown, ContainsRegex(id + " +" + id + " +" + id));
}

TEST(SignalNames, BothWays) {
  EXPECT_EQ(signal_number("KILL"), SIGKILL);
  EXPECT_EQ(signal_number("SIGKILL"), 0);
  EXPECT_EQ(signal_number("STOP"), 0);
  EXPECT_EQ(signal_name(SIGUSR2), "USR2");
  EXPECT_EQ(signal_name(SIGBUS), "SIG7@plumbline");
}

// ---- Terminal modes

TEST(TerminalFlags, AreThoseOfRfc4254) {
  termios settings{};
  apply_terminal_mode({3, 8}, settings);  // VERASE
  EXPECT_EQ(settings.c_cc[VERASE], 8);
  apply_terminal_mode({1, 255}, settings);  // VINTR, off
  EXPECT_EQ(settings.c_cc[VINTR], _POSIX_VDISABLE);
  apply_terminal_mode({53, 1}, settings);  // ECHO
  EXPECT_NE(settings.c_lflag & ECHO, 0u);
  apply_terminal_mode({53, 0}, settings);
  EXPECT_EQ(settings.c_lflag & ECHO, 0u);
  apply_terminal_mode({42, 1}, settings);  // IUTF8, RFC 8160
  EXPECT_NE(settings.c_iflag & IUTF8, 0u);
  apply_terminal_mode({72, 1}, settings);  // ONLCR
  EXPECT_NE(settings.c_oflag & ONLCR, 0u);
  apply_terminal_mode({91, 1}, settings);  // CS8
  EXPECT_EQ(settings.c_cflag & CSIZE, static_cast<tcflag_t>(CS8));
  apply_terminal_mode({129, 38400}, settings);  // TTY_OP_OSPEED
  EXPECT_EQ(cfgetospeed(&settings), static_cast<speed_t>(B38400));
  const termios before = settings;
  apply_terminal_mode({159, 1}, settings);  // nobody's
  EXPECT_EQ(std::memcmp(&before, &settings, sizeof before), 0);
}

// ---- Environments

Login example_login() {
  return {.account = {.name = "alice", .home = "/home/alice", .shell = "/bin/bash", .id = 1000},
          .permissions = {},
          .client_address = "10.0.0.1",
          .server_address = "10.0.0.2",
          .client_port = 50000,
          .server_port = 22};
}

TEST(LoginEnvironment, ServerWinsOverKeyAndKeyOverClient) {
  Login login = example_login();
  login.permissions.environment = {{"LANG", "key"}, {"HOME", "/elsewhere"}};
  const auto lines = login_environment(login, {.sent = {{"LANG", "client"}, {"USER", "root"}, {"LC_ALL", "C"}},
                                               .terminal = "/dev/pts/9",
                                               .term = "xterm",
                                               .original_command = "ls"});
  for (const char* line :
       {"LANG=key", "HOME=/home/alice", "USER=alice", "LOGNAME=alice", "LC_ALL=C", "SHELL=/bin/bash",
        "MAIL=/var/mail/alice", "SSH_CLIENT=10.0.0.1 50000 22", "SSH_CONNECTION=10.0.0.1 50000 10.0.0.2 22",
        "SSH_TTY=/dev/pts/9", "TERM=xterm", "SSH_ORIGINAL_COMMAND=ls"})
    EXPECT_THAT(lines, Contains(line));
  EXPECT_THAT(lines, Each(Not(HasSubstr("client"))));
}

TEST(LoginEnvironment, NothingIsSaidOfWhatIsNotThere) {
  EXPECT_THAT(login_environment(example_login(), {}), Each(Not(ContainsRegex("^(TERM|SSH_TTY|SSH_ORIG)"))));
}

TEST(AccessRulesPaths, TokensAreReplaced) {
  const Account account = example_login().account;
  EXPECT_EQ(expand_path(".ssh/authorized_keys", account), "/home/alice/.ssh/authorized_keys");
  EXPECT_EQ(expand_path("/etc/keys/%u-%U", account), "/etc/keys/alice-1000");
  EXPECT_EQ(expand_path("%h/%%x", account), "/home/alice/%x");
}

TEST(TrustedFile, IsReadOnlyIfNobodyElseMayWriteIt) {
  const auto folder = make_scratch_folder("trusted");
  ASSERT_TRUE(folder);
  const std::string path = (*folder / "file").string();
  std::ofstream(path) << "text";
  ASSERT_EQ(chmod(path.c_str(), 0644), 0);
  EXPECT_EQ(read_trusted_file(path, geteuid(), *folder).value_or("refused"), "text");
  ASSERT_EQ(chmod(path.c_str(), 0664), 0);
  EXPECT_EQ(read_trusted_file(path, geteuid(), *folder).error().code, ErrorCode::kAuth);
  ASSERT_EQ(chmod(path.c_str(), 0600), 0);
  ASSERT_EQ(chmod(folder->c_str(), 0777), 0);
  EXPECT_EQ(read_trusted_file(path, geteuid(), "/home").error().code, ErrorCode::kAuth);
  ASSERT_EQ(chmod(folder->c_str(), 0755), 0);
  EXPECT_EQ(read_trusted_file(folder->string(), geteuid(), "/").error().code, ErrorCode::kAuth);
  EXPECT_EQ(read_trusted_file(path + "x", geteuid(), "/").error().os_error, ENOENT);
}

// ---- Limits and offers

TEST(StartupLimitTest, RefusesMoreTheMoreWait) {
  testing::SeededRandom random(1);
  const StartupLimit limit;  // 10:30:100
  const auto refused = [&](size_t waiting) {
    int count = 0;
    for (int i = 0; i < 1000; i++) count += limit.admits(waiting, random) ? 0 : 1;
    return count;
  };
  EXPECT_EQ(refused(9), 0);
  EXPECT_NEAR(refused(10), 300, 60);
  EXPECT_NEAR(refused(55), 650, 60);
  EXPECT_EQ(refused(100), 1000);
}

TEST(ServerOffer, IsOfTheTablesAndLeavesOutWhatIsDoubtful) {
  const Algorithms offer = server_offer();
  for (const std::string& name : offer.kex) EXPECT_NE(find_kex_method(name), nullptr) << name;
  for (const std::string& name : offer.macs_c2s) EXPECT_TRUE(find_mac(name)->etm) << name;
  EXPECT_THAT(offer.kex, Not(IsEmpty()));
  EXPECT_THAT(offer.kex, Each(Not(HasSubstr("nistp"))));
  EXPECT_EQ(offer.ciphers_c2s, make_algorithms(Policy::kDefault)->ciphers_c2s);
}

TEST(ServerOffer, AeadOnlyKeepsTheOrder) {
  const Algorithms offer = aead_only(server_offer());
  EXPECT_TRUE(offer.no_macs);
  EXPECT_EQ(join_name_list(offer.ciphers_c2s),
            "chacha20-poly1305@openssh.com,aes128-gcm@openssh.com,aes256-gcm@openssh.com");
}

}  // namespace
}  // namespace plumb
