// `plumb serve` judged by OpenSSH's clients: commands, terminals, streams, subsystems, and what is left when they go.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <fstream>

#include "tests/forward/serve_process.h"
#include "tests/interop/wire.h"

namespace plumb {
namespace {

using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using testing::process_with;
using testing::ServeProcess;

class ServeSessions : public ::testing::Test {
 protected:
  /// One server for the suite.
  static void SetUpTestSuite() { server_ = ServeProcess::start(); }
  static void TearDownTestSuite() { server_.reset(); }
  void SetUp() override { ASSERT_NE(server_, nullptr); }
  static ProgramResult bash(const std::string& script) { return server_->bash(script); }

  static std::unique_ptr<ServeProcess> server_;
};
std::unique_ptr<ServeProcess> ServeSessions::server_;

TEST_F(ServeSessions, C66ExitCodesOfBothClients) {
  for (const int code : {0, 1, 7, 254, 255}) {
    const std::string command = "'exit " + std::to_string(code) + "'";
    EXPECT_EQ(bash("$SSH " + command).exit_code, code);
    EXPECT_EQ(bash("$PLUMB " + command).exit_code, code);
  }
  EXPECT_EQ(bash("$SSH nothing-of-this-name").exit_code, 127);
}

TEST_F(ServeSessions, SignalsAreReportedByName) {
  EXPECT_EQ(bash("$SSH 'kill -KILL $$'").exit_code, 255);
  EXPECT_EQ(bash("$PLUMB 'kill -TERM $$'").error, "plumb: the command was ended by the signal TERM\n");
  EXPECT_EQ(bash("$PLUMB 'kill -WINCH $$; kill -STKFLT $$'").error,
            "plumb: the command was ended by the signal SIG16@plumbline\n");
}

TEST_F(ServeSessions, OutputAndErrorOutputAreKeptApart) {
  const ProgramResult result = bash("$SSH 'echo to output; echo to error >&2'");
  EXPECT_EQ(result.output, "to output\n");
  EXPECT_EQ(result.error, "to error\n");
}

TEST_F(ServeSessions, C57BothOutputsInFull) {
  const ProgramResult result = bash(
      "$SSH 'head -c 10485760 /dev/zero & head -c 10485761 /dev/zero >&2; wait' 2>err >out; wc -c < out; wc -c < err");
  EXPECT_EQ(result.output, "10485760\n10485761\n");
}

TEST_F(ServeSessions, C60HalfClose) {
  EXPECT_EQ(bash("printf 'b\\na\\n' | $SSH sort").output, "a\nb\n");
  EXPECT_EQ(bash("echo x | $SSH 'cat; sleep 0.2; echo tail'").output, "x\ntail\n");
  EXPECT_EQ(bash("$SSH 'exec >&-; sleep 0.2; exit 3'").exit_code, 3);
  EXPECT_EQ(bash("$SSH -n 'cat; echo end'").output, "end\n");
}

TEST_F(ServeSessions, CommandThatReadsNothingEndsAllTheSame) {
  EXPECT_EQ(bash("head -c 30000000 /dev/zero | $SSH 'exec <&-; sleep 0.2; echo done'").output, "done\n");
  EXPECT_EQ(bash("head -c 30000000 /dev/zero | $SSH 'sleep 0.5; wc -c'").output, "30000000\n");
}

TEST_F(ServeSessions, C51ReaderThatPausesGetsEverything) {
  EXPECT_EQ(bash("$SSH 'head -c 16777216 /dev/zero' | (sleep 1; wc -c)").output, "16777216\n");
}

TEST_F(ServeSessions, C67ReaderThatGoesEndsTheCommand) {
  EXPECT_EQ(bash("$SSH 'exec cat /dev/zero' | head -c1 | wc -c").output, "1\n");
  EXPECT_EQ(bash("$PLUMB 'exec -a reader-gone-51 cat /dev/zero' | head -c1 | wc -c").output, "1\n");
  EXPECT_EQ(process_with("reader-gone-51"), "gone");
}

TEST_F(ServeSessions, EnvironmentIsTheLoginsOwn) {
  const ProgramResult result = bash("LC_TEST=yes SECRET=no $SSH -o SendEnv='LC_TEST SECRET' env");
  EXPECT_THAT(result.output, HasSubstr("\nLC_TEST=yes\n"));
  EXPECT_THAT(result.output, Not(HasSubstr("SECRET")));
  EXPECT_THAT(result.output, HasSubstr("USER=" + ServeProcess::user() + "\n"));
  EXPECT_THAT(result.output, HasSubstr("LOGNAME=" + ServeProcess::user() + "\n"));
  EXPECT_THAT(result.output, HasSubstr("MAIL=/var/mail/" + ServeProcess::user() + "\n"));
  EXPECT_THAT(result.output, ContainsRegex("SSH_CLIENT=127.0.0.1 [0-9]+ [0-9]+\n"));
  EXPECT_THAT(result.output, ContainsRegex("SSH_CONNECTION=127.0.0.1 [0-9]+ 127.0.0.1 [0-9]+\n"));
  EXPECT_THAT(result.output, Not(HasSubstr("SSH_TTY")));
  EXPECT_THAT(result.output, Not(HasSubstr("known_hosts")));  // nothing of the server's own environment
  EXPECT_EQ(bash("$SSH pwd").output, bash("cd; pwd").output);
}

TEST_F(ServeSessions, NothingOfTheServerIsOpenInACommand) {
  EXPECT_EQ(bash("$SSH 'ls /proc/self/fd'").output, "0\n1\n2\n3\n");  // 3: the folder that ls reads
  // 32 and 33 are the C library's own.
  EXPECT_THAT(bash("$SSH 'grep -h -e SigBlk -e SigIgn /proc/self/status'").output,
              ContainsRegex("SigBlk:\t0000000000000000\nSigIgn:\t0000000[01][08]0000000\n"));
}

TEST_F(ServeSessions, TerminalIsWhatWasAskedFor) {
  const ProgramResult result = bash(
      "TERM=vt220 script -qec \"stty rows 33 cols 101 erase ^H -ixon; $SSH -tt "
      "'tty; stty size; stty -a; echo \\$TERM \\$SSH_TTY; ps -o tty= -p \\$\\$'\" /dev/null");
  EXPECT_THAT(result.output, HasSubstr("/dev/pts/"));
  EXPECT_THAT(result.output, HasSubstr("33 101"));
  EXPECT_THAT(result.output, HasSubstr("erase = ^H;"));
  EXPECT_THAT(result.output, HasSubstr("-ixon"));
  EXPECT_THAT(result.output, HasSubstr("vt220 /dev/pts/"));
}

TEST_F(ServeSessions, WindowChangesArrive) {
  std::ofstream(server_->folder() / "there")
      << "trap 'stty size; exit 5' WINCH; touch ready; while :; do sleep 0.1; done\n";
  std::ofstream(server_->folder() / "here")
      << "stty rows 20 cols 80; at=$(tty)\n"
         "(until [ -e ready ]; do sleep 0.1; done; stty -F $at rows 44 cols 99) &\n"
         "$SSH -tt \"cd $PWD; . ./there\"\n";
  const ProgramResult result = bash("script -qec 'bash ./here' /dev/null");
  EXPECT_THAT(result.output, HasSubstr("44 99"));
  EXPECT_EQ(result.exit_code, 5);
}

TEST_F(ServeSessions, ShellOnATerminalIsALoginShell) {
  const ProgramResult result = bash("printf 'echo $0 $((6*7)) $-\nexit 9\n' | $SSH -tt");
  EXPECT_THAT(result.output, ContainsRegex("-[a-z]+ 42 [a-zA-Z]*i"));
  EXPECT_EQ(result.exit_code, 9);
  EXPECT_THAT(bash("printf 'echo $0; exit 4\n' | $SSH").output, ContainsRegex("-[a-z]+\n"));
}

TEST_F(ServeSessions, InterruptCharacterReachesTheForeground) {
  const ProgramResult result = bash(
      "mkfifo keys; exec 9<>keys; $SSH -tt 'trap \"echo caught; exit 6\" INT; echo ready; sleep 30 & wait' <&9 >shown "
      "& "
      "until grep -q ready shown; do sleep 0.1; done; printf '\\003' >&9; wait $!; echo code $?; cat shown");
  EXPECT_THAT(result.output, HasSubstr("code 6\n"));
  EXPECT_THAT(result.output, HasSubstr("caught"));
}

TEST_F(ServeSessions, SftpAndScp) {
  const Payload payload(server_->folder(), 4 << 20);
  const std::string file = payload.path().string();
  const ProgramResult sftp =
      bash("printf 'put " + file +
           " up\\nget up down\\nls -l up\\n' | sed \"s, up, $PWD/up,g\" | sftp -b - $OPTIONS $AT && "
           "sha256sum < up && sha256sum < down");
  EXPECT_EQ(sftp.exit_code, 0) << sftp.error;
  EXPECT_THAT(sftp.output, HasSubstr(payload.sha256() + "  -\n" + payload.sha256() + "  -\n"));
  const ProgramResult scp = bash("scp -q $OPTIONS " + file +
                                 " $AT:$PWD/copied && scp -O -q $OPTIONS $AT:$PWD/copied old && "
                                 "sha256sum < copied && sha256sum < old");
  EXPECT_EQ(scp.output, payload.sha256() + "  -\n" + payload.sha256() + "  -\n") << scp.error;
}

TEST_F(ServeSessions, WhatIsNotServedIsRefused) {
  EXPECT_THAT(bash("$SSH -s nothing").error, HasSubstr("subsystem request failed"));
  EXPECT_THAT(bash("ssh -o LogLevel=INFO -W 127.0.0.1:9 $OPTIONS $AT").error, HasSubstr("administratively prohibited"));
  EXPECT_EQ(bash("$SSH -A 'echo x$SSH_AUTH_SOCK'").output, "x\n");
  EXPECT_NE(bash("$SSH -o ExitOnForwardFailure=yes -R 0:127.0.0.1:9 true").exit_code, 0);
}

TEST_F(ServeSessions, SeveralSessionsOnOneConnection) {
  const ProgramResult result = bash(
      "ssh -MNf -S sock $OPTIONS $AT; for i in 1 2 3 4; do (head -c 2000000 /dev/zero | ssh -S sock $OPTIONS $AT 'wc "
      "-c; "
      "exit '$i; echo $i $?) & done | sort; wait; ssh -S sock -O exit $OPTIONS $AT 2>/dev/null");
  EXPECT_EQ(result.output, "1 1\n2 2\n2000000\n2000000\n2000000\n2000000\n3 3\n4 4\n");
  EXPECT_TRUE(server_->logs("session 3 closed"));
}

// A command that is killed, a subsystem and a forwarding that are refused, SFTP that is none, a client that goes.
TEST_F(ServeSessions, C63ChannelsThatEndBadlyLeaveTheOthersAlone) {
  const ProgramResult result = bash(R"sh(
    ssh -MNf -S shared $OPTIONS $AT; mkfifo words; on() { ssh -S shared $OPTIONS "$@"; }
    on $AT 'while read word; do echo got $word; done' < words > heard & first=$!; exec 3> words
    echo before >&3; until test -s heard; do sleep 0.02; done
    (for i in 1 2 3 4; do
      on $AT 'kill -KILL $$' & on -s $AT nothing & on -W 127.0.0.1:9 $AT & echo 'no packet of SFTP' | on -s $AT sftp &
      on $AT 'cat /dev/zero' | head -c 1000000 > some & wait
    done) 2> refusals
    echo after >&3; exec 3>&-; wait $first; echo $?; cat heard; on $AT 'echo new'; ssh -S shared -O exit $OPTIONS $AT 2> ended)sh");
  EXPECT_EQ(result.output, "0\ngot before\ngot after\nnew\n") << result.error;
}

TEST_F(ServeSessions, CommandThatNeverStopsLeavesRoomForOthers) {
  const ProgramResult result = bash(
      "ssh -MNf -S busy $OPTIONS $AT; ssh -S busy $OPTIONS $AT 'exec cat /dev/zero' > /dev/null & "
      "sleep 0.3; ssh -S busy $OPTIONS $AT 'echo through'; ssh -S busy -O exit $OPTIONS $AT 2>/dev/null; wait");
  EXPECT_EQ(result.output, "through\n");
}

TEST_F(ServeSessions, KilledConnectionEndsTheCommands) {
  bash(
      "$SSH 'exec -a hung-up-17 sleep 1000' >/dev/null 2>&1 & until pgrep -f '^hung-up-17 '; do sleep 0.1; done; "
      "kill -KILL $!; wait");
  EXPECT_EQ(process_with("hung-up-17"), "gone");
  bash(
      "$SSH -tt 'exec -a hung-up-18 sleep 1000' >/dev/null 2>&1 & until pgrep -f '^hung-up-18 '; do sleep 0.1; done; "
      "kill -KILL $!; wait");
  EXPECT_EQ(process_with("hung-up-18"), "gone");
  EXPECT_EQ(bash("ps --ppid " + std::to_string(server_->id()) + " -o stat= | grep -c Z").output, "0\n");
}

TEST_F(ServeSessions, CommandIsHungUpAndNotKilled) {
  bash(
      "$SSH 'cd '$PWD'; exec >/dev/null 2>&1; trap \"echo hup > hangup; exit\" HUP; touch waits; while :; do sleep "
      "0.1; done' >/dev/null "
      "2>&1 & "
      "until [ -e waits ]; do sleep 0.1; done; kill -KILL $!; wait");
  EXPECT_EQ(bash("for i in $(seq 50); do [ -s hangup ] && break; sleep 0.1; done; cat hangup").output, "hup\n");
}

TEST_F(ServeSessions, LargeStreamsBothWays) {
  const Payload payload(server_->folder(), 64 << 20);
  const std::string file = payload.path().string();
  for (const char* client : {"$SSH", "$PLUMB"})
    EXPECT_EQ(bash(std::string(client) + " cat < " + file + " | sha256sum").output, payload.sha256() + "  -\n");
}

TEST(ServeEnds, TermEndsItWithItsCommands) {
  const auto server = ServeProcess::start();
  ASSERT_NE(server, nullptr);
  server->bash(
      "$SSH 'exec -a hung-up-19 sleep 1000' >/dev/null 2>&1 & until pgrep -f '^hung-up-19 '; do sleep 0.1; done");
  EXPECT_EQ(server->end(SIGTERM), 0);
  EXPECT_EQ(process_with("hung-up-19"), "gone");
}

}  // namespace
}  // namespace plumb
