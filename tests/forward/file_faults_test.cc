// What happens to copies in mid-transfer: the server's session is killed, permission is taken away.
//
// Bytes stop behind a gate before either side of OpenSSH's SFTP server, so that a transfer stands still, and no file is
// complete, for as long as the test wants.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "interop/scratch_folder.h"
#include "tests/forward/file_session.h"

namespace plumb {
namespace {

using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::MatchesRegex;

constexpr const char* kSftpServer = "/usr/lib/openssh/sftp-server";

/// 60 pieces pass, of 64 KiB at most: 3.75 MiB, and the beginning of a file whichever way it goes. Then it is opened,
/// or ends the sshd of this session, which may have a number that is known nowhere else.
constexpr const char* kGate =
    "gate() { dd bs=64k count=60 status=none; until test -e $at/open || ! test -d $at; do "
    "if test -e $at/kill; then kill -KILL $PPID; break; fi; sleep 0.05; done; cat; }; ";

class FileFaults : public testing::FileSuite<FileFaults> {
 public:
  static SshdOptions sshd_options() {
    SshdOptions options = FileSuite::sshd_options();
    // Root is held to permissions without these; others are anyway.
    const std::string held = geteuid() == 0 ? "setpriv --bounding-set=-dac_override,-dac_read_search " : "";
    options.extra_lines = {"ForceCommand at=" + gate_folder() + "; if test -e $at/kill; then kill -KILL $$; fi; " +
                           kGate + "gate | " + held + kSftpServer + " | gate"};
    return options;
  }

 protected:
  void set_up() override {
    if (access(kSftpServer, X_OK) != 0) GTEST_SKIP() << kSftpServer << " is not installed";
    FileSuite::set_up();
  }

  /// In the script `shut` and `opened` move the gate, `kill_session` ends sshd's process for the session that stands
  /// before it, and `under_way FOLDER` waits until one of the files below has begun.
  static ProgramResult bash(const std::string& script) {
    return FileSuite::bash("gate=" + gate_folder() + R"sh(
      shut() { rm -f $gate/open $gate/kill; }
      opened() { touch $gate/open; rm -f $gate/kill; }
      kill_session() { touch $gate/kill; }
      under_way() { until test -n "$(find $1 -type f -size +50k 2>/dev/null)"; do sleep 0.02; done; }
      opened
      )sh" + script);
  }

 private:
  static std::string gate_folder() {
    static const auto folder = make_scratch_folder("gate");
    EXPECT_TRUE(folder) << folder.error();
    return folder ? folder->string() : "";
  }
};

/// Two large files, neither of which passes the gate, and some small ones. While one of the large ones has 4 MiB before
/// it the other one is not begun.
constexpr const char* kMakeTree = R"sh(
  make_tree() {
    mkdir -p $1/tree/small
    for i in 1 2; do noise 9000000 $1/tree/$i; echo $i >> $1/tree/$i; done
    for i in 1 2 3; do echo $i > $1/tree/small/$i; done
  }
  same() { diff -r here/tree there/tree && echo whole; }
)sh";

TEST_F(FileFaults, KilledServerLeavesWhatGetResumes) {
  const ProgramResult result = bash(R"sh(
    noise 9000000 there/f; shut
    p get $AT/there/f here & copy=$!
    under_way here; kill_session; wait $copy; echo $?
    size=$(stat -c %s here/f); test $size -lt 9000000 && cmp -n $size here/f there/f && echo part of $size
    opened; p get --resume $AT/there/f here && cmp here/f there/f && echo whole)sh");
  ASSERT_THAT(result.output, MatchesRegex("255\npart of [0-9]+\nwhole\n")) << result.error;
  const std::string size = result.output.substr(12, result.output.find("\nwhole") - 12);
  EXPECT_THAT(result.error, ContainsRegex("^plumb: [^\n]*there/f: cut off; its first " + size +
                                          " bytes are here, and --resume goes on behind them\n"
                                          "plumb: 127.0.0.1 port [0-9]+: the server closed the connection[^\n]*\n$"));
}

TEST_F(FileFaults, KilledServerLeavesWhatPutResumes) {
  const ProgramResult result = bash(R"sh(
    noise 9000000 here/f; shut
    p put here/f $AT/there & copy=$!
    under_way there; kill_session; wait $copy; echo $?
    size=$(stat -c %s there/f); test $size -lt 9000000 && cmp -n $size here/f there/f && echo part of $size
    opened; p put --resume here/f $AT/there && cmp here/f there/f && echo whole)sh");
  ASSERT_THAT(result.output, MatchesRegex("255\npart of [0-9]+\nwhole\n")) << result.error;
  EXPECT_THAT(result.error,
              ContainsRegex("^plumb: [^\n]*here/f: cut off(; its first [0-9]+ bytes are there, and --resume "
                            "goes on behind them)?\nplumb: [^\n]*\n$"));
}

constexpr const char* kCutTreeSaid =
    "^plumb: the copy is not complete \\(files done: [0-9]+, cut off: [1-9][0-9]*\\); --resume goes on "
    "with what is (here|there)\nplumb: 127.0.0.1 port [0-9]+: the server closed the connection[^\n]*\n$";

TEST_F(FileFaults, KilledServerLeavesATreeThatGetResumes) {
  const ProgramResult result = bash(std::string(kMakeTree) + R"sh(
    make_tree there; shut
    p get -rp $AT/there/tree here & copy=$!
    under_way here; kill_session; wait $copy; echo $?
    opened; p get -rp --resume $AT/there/tree here && same)sh");
  EXPECT_EQ(result.output, "255\nwhole\n") << result.error;
  EXPECT_THAT(result.error, ContainsRegex(kCutTreeSaid));
}

TEST_F(FileFaults, KilledServerLeavesATreeThatPutResumes) {
  const ProgramResult result = bash(std::string(kMakeTree) + R"sh(
    make_tree here; shut
    p put -r here/tree $AT/there & copy=$!
    under_way there; kill_session; wait $copy; echo $?
    opened; p put -r --resume here/tree $AT/there && same)sh");
  EXPECT_EQ(result.output, "255\nwhole\n") << result.error;
  EXPECT_THAT(result.error, ContainsRegex(kCutTreeSaid));
}

TEST_F(FileFaults, ServerThatIsKilledAloneIsTold) {
  const ProgramResult result = bash("touch $gate/kill; p get $AT/there/f here");
  EXPECT_EQ(result.exit_code, 255);
  EXPECT_EQ(result.error, "plumb: 127.0.0.1 ended SFTP by the signal KILL\n");
}

TEST_F(FileFaults, BatchSaysAtWhichLineTheConnectionWasLost) {
  const ProgramResult result = bash(R"sh(
    noise 9000000 there/f; shut; printf '%s\n' "-get $PWD/there/f here/f" "rm $PWD/there/f" > lines
    batch -b lines > /dev/null & copy=$!
    under_way here; kill_session; wait $copy; echo $?; ls there)sh");
  EXPECT_EQ(result.output, "255\nf\n") << result.error;
  EXPECT_THAT(result.error, ContainsRegex("^plumb: line 1: [^\n]*there/f: cut off; [^\n]*\nplumb: [^\n]*\n$"));
}

// What is open stays open; what begins later is refused.
TEST_F(FileFaults, PermissionTakenFromATreeMeanwhile) {
  const ProgramResult result = bash(std::string(kMakeTree) + R"sh(
    make_tree there; shut
    p get -r $AT/there/tree here & copy=$!
    under_way here; chmod 0 there/tree/?; opened; wait $copy; echo $?
    chmod 644 there/tree/?; p get -r --resume $AT/there/tree here && same)sh");
  EXPECT_EQ(result.output, "1\nwhole\n") << result.error;
  EXPECT_THAT(result.error, MatchesRegex("plumb: [^\n]*there/tree/[12]: Permission denied\n"
                                         "plumb: 1 could not be copied\n"));
}

TEST_F(FileFaults, PermissionTakenFromTheTargetMeanwhile) {
  const ProgramResult result = bash(std::string(kMakeTree) + R"sh(
    make_tree here; rm -r here/tree/small; shut
    p put -r here/tree $AT/there & copy=$!
    under_way there; chmod 555 there/tree; opened; wait $copy; echo $?
    chmod 755 there/tree; p put -r --resume here/tree $AT/there && same)sh");
  EXPECT_EQ(result.output, "1\nwhole\n") << result.error;
  EXPECT_THAT(result.error, MatchesRegex("plumb: [^\n]*here/tree/[12]: Permission denied\n"
                                         "plumb: 1 could not be copied\n"));
}

TEST_F(FileFaults, RefusedResumeKeepsThePart) {
  const ProgramResult result = bash(R"sh(
    noise 3000000 there/f; head -c 1000000 there/f > here/f; cp there/f here/up; head -c 1000000 there/f > there/up
    chmod 0 there/f; p get --resume $AT/there/f here; echo $?
    chmod 444 there/up; p put --resume here/up $AT/there; echo $?
    stat -c %s here/f there/up
    chmod 644 there/f there/up
    p get --resume $AT/there/f here && p put --resume here/up $AT/there && cmp here/f there/f && cmp here/up there/up &&
      echo whole)sh");
  EXPECT_EQ(result.output, "1\n1\n1000000\n1000000\nwhole\n") << result.error;
  EXPECT_THAT(result.error, ContainsRegex("there/f: Permission denied[^\n]*\n"));
  EXPECT_THAT(result.error, ContainsRegex("here/up: Permission denied[^\n]*\n"));
}

}  // namespace
}  // namespace plumb
