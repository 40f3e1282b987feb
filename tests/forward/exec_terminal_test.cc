// The person at the terminal: asked about a host key and for a password, whatever the output is connected to.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <pty.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "tests/interop/wire.h"

namespace plumb {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::Not;

/// A program with a terminal of its own.
class AtTerminal {
 public:
  explicit AtTerminal(std::vector<std::string> argv) {
    std::vector<char*> words;
    for (std::string& word : argv) words.push_back(word.data());
    words.push_back(nullptr);
    child_ = forkpty(&terminal_, nullptr, nullptr, nullptr);
    if (child_ != 0) return;
    execv(words[0], words.data());
    _exit(127);
  }
  ~AtTerminal() {
    if (child_ > 0 && !ended_) {
      kill(child_, SIGKILL);
      waitpid(child_, nullptr, 0);
    }
    close(terminal_);
  }
  AtTerminal(const AtTerminal&) = delete;
  AtTerminal& operator=(const AtTerminal&) = delete;

  /// Reads until `text` was shown; false at the end of the output or after 30 seconds.
  bool wait_for(const std::string& text) {
    while (shown_.find(text) == std::string::npos) {
      if (!read_some()) return false;
    }
    return true;
  }

  void type(const std::string& text) { ASSERT_EQ(write(terminal_, text.data(), text.size()), ssize_t(text.size())); }

  bool echoes() const {
    termios mode{};
    tcgetattr(terminal_, &mode);
    return (mode.c_lflag & ECHO) != 0;
  }

  /// Waits for the end. The exit code, or 128 + signal.
  int wait() {
    while (read_some()) {
    }
    int status = 0;
    waitpid(child_, &status, 0);
    ended_ = true;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  }

  const std::string& shown() const { return shown_; }

 private:
  bool read_some() {
    pollfd asked{terminal_, POLLIN, 0};
    if (poll(&asked, 1, 30'000) != 1) return false;
    char buffer[4096];
    const ssize_t n = read(terminal_, buffer, sizeof buffer);  // EIO once the program has gone
    if (n <= 0) return false;
    shown_.append(buffer, static_cast<size_t>(n));
    return true;
  }

  int terminal_ = -1;
  pid_t child_ = -1;
  bool ended_ = false;
  std::string shown_;
};

std::vector<std::string> exec_argv(const SshdFixture& sshd, const fs::path& hosts,
                                   const std::vector<std::string>& more) {
  std::vector<std::string> argv{
      PLUMB_PROGRAM, "exec", "-p", std::to_string(sshd.port()), "-o", "UserKnownHostsFile=" + hosts.string()};
  argv.insert(argv.end(), more.begin(), more.end());
  argv.insert(argv.end(), {sshd.destination(), "echo", "in"});
  return argv;
}

TEST(ExecTerminal, UnknownHostIsAskedAbout) {
  PLUMB_START_SSHD(sshd, SshdOptions{});
  const fs::path hosts = sshd.folder() / "new" / "known_hosts";
  const std::vector<std::string> key{"-i", sshd.client_key().string()};
  {
    AtTerminal program(exec_argv(sshd, hosts, key));
    ASSERT_TRUE(program.wait_for("(yes/no/fingerprint)? ")) << program.shown();
    program.type("no\n");
    EXPECT_EQ(program.wait(), 255);
    EXPECT_THAT(program.shown(), HasSubstr("its key was not accepted"));
    EXPECT_FALSE(fs::exists(hosts));
  }
  {
    AtTerminal program(exec_argv(sshd, hosts, key));
    ASSERT_TRUE(program.wait_for("(yes/no/fingerprint)? ")) << program.shown();
    program.type("maybe\n");
    ASSERT_TRUE(program.wait_for("Please type 'yes', 'no' or the fingerprint: ")) << program.shown();
    program.type("yes\n");
    EXPECT_EQ(program.wait(), 0) << program.shown();
    EXPECT_THAT(program.shown(), HasSubstr("plumb: added the ssh-ed25519 key"));
    EXPECT_THAT(program.shown(), HasSubstr("\nin\r\n"));
  }
  AtTerminal again(exec_argv(sshd, hosts, key));
  EXPECT_EQ(again.wait(), 0);
  EXPECT_THAT(again.shown(), Not(HasSubstr("known")));
}

SshdOptions with_password() {
  SshdOptions options;
  options.password = "correct horse";
  return options;
}

TEST(ExecTerminal, PasswordIsAskedForAndNotShown) {
  PLUMB_START_SSHD(sshd, with_password());
  const std::vector<std::string> no_key{"-o", "PubkeyAuthentication=no"};
  {
    AtTerminal program(exec_argv(sshd, sshd.known_hosts(), no_key));
    ASSERT_TRUE(program.wait_for("'s password: ")) << program.shown();
    EXPECT_FALSE(program.echoes());
    program.type("correct horse\n");
    EXPECT_EQ(program.wait(), 0) << program.shown();
    EXPECT_THAT(program.shown(), HasSubstr("in\r\n"));
    EXPECT_THAT(program.shown(), Not(HasSubstr("horse")));
  }
  AtTerminal wrong(exec_argv(sshd, sshd.known_hosts(), no_key));
  ASSERT_TRUE(wrong.wait_for("'s password: ")) << wrong.shown();
  wrong.type("wrong horse\n");
  EXPECT_EQ(wrong.wait(), 255);
  EXPECT_THAT(wrong.shown(), HasSubstr("was refused with password"));
}

TEST(ExecTerminal, InterruptedPromptLeavesTheTerminalAsItWas) {
  PLUMB_START_SSHD(sshd, with_password());
  AtTerminal program(exec_argv(sshd, sshd.known_hosts(), {"-o", "PubkeyAuthentication=no"}));
  ASSERT_TRUE(program.wait_for("'s password: ")) << program.shown();
  EXPECT_FALSE(program.echoes());
  program.type("\x03");
  EXPECT_EQ(program.wait(), 128 + SIGINT);
  EXPECT_TRUE(program.echoes());
}

TEST(ExecTerminal, BatchModeAsksNobody) {
  PLUMB_START_SSHD(sshd, with_password());
  AtTerminal program(exec_argv(sshd, "/dev/null", {"-o", "BatchMode=yes", "-o", "PubkeyAuthentication=no"}));
  EXPECT_EQ(program.wait(), 255);
  EXPECT_THAT(program.shown(), HasSubstr("is not known"));
}

}  // namespace
}  // namespace plumb
