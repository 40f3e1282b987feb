// `plumb exec` as a command among commands: pipes, files, ends and exit codes, against a real sshd.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>

#include "tests/interop/suite_sshd.h"
#include "tests/interop/wire.h"

namespace plumb {
namespace {

using testing::HasSubstr;

class ExecStreams : public SuiteSshd<ExecStreams> {
 public:
  static SshdOptions sshd_options() {
    SshdOptions options;
    options.log_level = "INFO";  // below it sshd writes its own messages to the command's error output
    return options;
  }

 protected:
  /// "plumb exec … user@host", for a shell.
  static std::string plumb_exec() {
    return std::string(PLUMB_PROGRAM) + " exec -i " + sshd_->client_key().string() + " -p " +
           std::to_string(sshd_->port()) + " -o UserKnownHostsFile=" + sshd_->known_hosts().string() +
           " -o BatchMode=yes " + sshd_->destination();
  }

  /// What bash makes of `script`, in which $PLUMB is `plumb_exec()`.
  static ProgramResult bash(const std::string& script) {
    ProgramRequest request;
    request.argv = {"bash", "-c", "cd " + sshd_->folder().string() + "; " + script};
    request.environment["PLUMB"] = plumb_exec();
    return run_program(request);
  }
};

TEST_F(ExecStreams, C66ExitCodeIsTheCommands) {
  for (const int code : {0, 1, 7, 254, 255}) {
    const ProgramResult result = bash("$PLUMB 'exit " + std::to_string(code) + "'");
    EXPECT_EQ(result.exit_code, code);
    EXPECT_EQ(result.error, "");
  }
}

TEST_F(ExecStreams, SignalOfTheCommandIs255AndNamed) {
  const ProgramResult result = bash("$PLUMB 'kill -KILL $$'");
  EXPECT_EQ(result.exit_code, 255);
  EXPECT_EQ(result.error, "plumb: the command was ended by the signal KILL\n");
}

TEST_F(ExecStreams, WordsAndTheirOptionsAreTheCommands) {
  EXPECT_EQ(bash("$PLUMB echo -p 1 -v --help -- x").output, "-p 1 -v --help -- x\n");
  EXPECT_EQ(bash("$PLUMB -- echo -n a").output, "a");
  EXPECT_EQ(bash("$PLUMB -c aes128-ctr 'echo \"$0\" b'").output, "bash b\n");
}

TEST_F(ExecStreams, OutputAndErrorOutputAreKeptApart) {
  const ProgramResult result = bash("$PLUMB 'echo to output; echo to error >&2'");
  EXPECT_EQ(result.output, "to output\n");
  EXPECT_EQ(result.error, "to error\n");
}

TEST_F(ExecStreams, C60HalfClose) {
  EXPECT_EQ(bash("printf 'b\\na\\n' | $PLUMB sort").output, "a\nb\n");
  EXPECT_EQ(bash("echo x | $PLUMB 'cat; sleep 0.5; echo tail'").output, "x\ntail\n");
  EXPECT_EQ(bash("$PLUMB 'cat; echo end' </dev/null").output, "end\n");
  EXPECT_EQ(bash(": > nothing; $PLUMB 'cat; echo end' <nothing").output, "end\n");
  EXPECT_EQ(bash("$PLUMB 'cat; echo end' <&-").output, "end\n");
}

TEST_F(ExecStreams, EndsWithTheCommandThoughInputStaysOpen) {
  // `sleep` holds the pipe open for longer than the test may run.
  const ProgramResult result = bash("mkfifo held; sleep 1000 > held & $PLUMB 'echo done' < held; kill $!; rm held");
  EXPECT_FALSE(result.timed_out);
  EXPECT_EQ(result.output, "done\n");
}

TEST_F(ExecStreams, C67ReaderThatHasGoneEndsBothSides) {
  const size_t mark = sshd_->log_mark();
  const ProgramResult result = bash("$PLUMB 'exec cat /dev/zero' | head -c1 | wc -c; echo ${PIPESTATUS[0]}");
  EXPECT_FALSE(result.timed_out);
  EXPECT_EQ(result.output, "1\n255\n");
  EXPECT_EQ(result.error, "");
  // Bytes of the command that nobody read any more turn our close into a TCP reset, which may overtake the DISCONNECT;
  // sshd notices it where it reads or where it writes.
  const char* const ended = "Disconnected from user|Received disconnect|Connection reset by user|Broken pipe";
  EXPECT_TRUE(sshd_->wait_for_log(ended, mark)) << sshd_->log().substr(mark);
  EXPECT_FALSE(bash("$PLUMB 'exec cat /dev/zero' | false").timed_out);
}

TEST_F(ExecStreams, LargeStreamsBothWaysAtOnceThroughEveryKindOfFile) {
  const Payload payload(sshd_->folder(), 64 << 20);
  const std::string file = payload.path().string();
  for (const char* script : {"$PLUMB cat < FILE | sha256sum", "cat FILE | $PLUMB cat | sha256sum",
                             "cat FILE | $PLUMB cat > copy; sha256sum < copy; rm copy"}) {
    std::string filled(script);
    filled.replace(filled.find("FILE"), 4, file);
    EXPECT_EQ(bash(filled).output, payload.sha256() + "  -\n") << filled;
  }
}

TEST_F(ExecStreams, C57BothOutputsInFull) {
  const ProgramResult result = bash(
      "$PLUMB 'head -c 10485760 /dev/zero & head -c 10485761 /dev/zero >&2; wait' 2>err >out; "
      "wc -c < out; wc -c < err; rm out err");
  EXPECT_EQ(result.output, "10485760\n10485761\n");
}

TEST_F(ExecStreams, C51ReaderThatPausesGetsEverything) {
  EXPECT_EQ(bash("$PLUMB 'head -c 16777216 /dev/zero' | (sleep 1; wc -c)").output, "16777216\n");
}

// The command does not read for three seconds, or nobody reads what it writes: a window and a pipe that are full cost
// no time of a processor, and all arrives once somebody reads again.
TEST_F(ExecStreams, C58AFullWindowNeitherSpinsNorWedges) {
  for (const char* script : {"head -c 32M /dev/zero > zeros; time $PLUMB 'sleep 3; sha256sum' < zeros",
                             "{ time $PLUMB 'head -c 32M /dev/zero'; } | { sleep 3; sha256sum; }"}) {
    SCOPED_TRACE(script);
    const ProgramResult result = bash(std::string("TIMEFORMAT='%U %S'; ") + script);
    EXPECT_EQ(result.output, "83ee47245398adee79bd9c0a8bc57b821e92aba10f5f9ade8a5d1fae4d8c4302  -\n");
    double user = -1, system = -1;
    ASSERT_EQ(std::sscanf(result.error.c_str(), "%lf %lf", &user, &system), 2) << result.error;
    EXPECT_LT(user + system, 1.5);
  }
}

TEST_F(ExecStreams, OutputThatCannotBeWrittenIsSaidOnce) {
  const ProgramResult full = bash("$PLUMB 'echo x; sleep 1000' > /dev/full");
  EXPECT_FALSE(full.timed_out);
  EXPECT_EQ(full.exit_code, 255);
  EXPECT_EQ(full.error, "plumb: the local output cannot be written: No space left on device\n");
  EXPECT_EQ(bash("$PLUMB 'head -c 1000000 /dev/zero' > /dev/null").exit_code, 0);
  EXPECT_EQ(bash("$PLUMB 'echo x' >&-").exit_code, 0);
}

TEST_F(ExecStreams, InputThatCannotBeReadIsNoEndOfInput) {
  const ProgramResult folder = bash("$PLUMB 'cat; echo end' < /tmp");
  EXPECT_EQ(folder.exit_code, 255);
  EXPECT_EQ(folder.output, "");
  EXPECT_EQ(folder.error, "plumb: the local input cannot be read: Is a directory\n");
}

TEST_F(ExecStreams, SharedDescriptorsStayBlocking) {
  // The shell's own pipe is shared with what runs after us; a flag left on it would break that (EAGAIN).
  const ProgramResult result = bash(
      "(sleep 0.2; echo one; sleep 0.5; echo two) | ($PLUMB 'head -n1 > /dev/null'; "
      "grep -h ^flags /proc/self/fdinfo/0)");
  EXPECT_EQ(result.output, "flags:\t00\n");
}

TEST_F(ExecStreams, VerboseSaysWhatIsNegotiated) {
  const ProgramResult result = bash("$PLUMB -v -c aes256-ctr -m hmac-sha2-512 true");
  EXPECT_THAT(result.error, HasSubstr("to server aes256-ctr hmac-sha2-512"));
}

}  // namespace
}  // namespace plumb
