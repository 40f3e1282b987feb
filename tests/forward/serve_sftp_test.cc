// The files of `plumb serve`, judged by OpenSSH's sftp and scp.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <fstream>

#include "tests/forward/serve_process.h"

namespace plumb {
namespace {

namespace fs = std::filesystem;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using testing::ServeProcess;

/// Runs OpenSSH's sftp in the folder `local` beside the server; before `commands` it goes to the folder `remote` there,
/// unless the server shows another tree.
ProgramResult sftp(const ServeProcess& server, const std::string& commands, const std::string& flags = "",
                   bool own_tree = false) {
  fs::create_directories(server.folder() / "local");
  fs::create_directories(server.folder() / "remote");
  const std::string begin = own_tree ? "" : "cd " + (server.folder() / "remote").string() + "\n";
  std::ofstream(server.folder() / "batch") << begin << commands;
  return server.bash("cd local; sftp -q " + flags + " -b ../batch $OPTIONS $AT");
}

class ServeSftp : public ::testing::Test {
 protected:
  /// One server for the suite.
  static void SetUpTestSuite() { server_ = ServeProcess::start(); }
  static void TearDownTestSuite() { server_.reset(); }
  void SetUp() override {
    ASSERT_NE(server_, nullptr);
    bash("rm -rf local remote; mkdir local remote");
  }
  static ProgramResult bash(const std::string& script) { return server_->bash(script); }
  static void run(const std::string& commands, const std::string& flags = "") {
    const ProgramResult result = sftp(*server_, commands, flags);
    EXPECT_EQ(result.exit_code, 0) << commands << result.error;
  }

  static std::unique_ptr<ServeProcess> server_;
};
std::unique_ptr<ServeProcess> ServeSftp::server_;

TEST_F(ServeSftp, PutsAndGetsFilesOfManySizes) {
  bash("for n in 0 1 32767 32768 32769 261120 9000001; do head -c $n /dev/urandom > local/$n; done");
  run("put *\nlmkdir back\nget * back/\n");
  EXPECT_EQ(bash("cd local; for n in [0-9]*; do cmp $n back/$n && cmp $n ../remote/$n && echo $n; done | wc -l").output,
            "7\n");
  run("put 9000001 blocks\nget blocks back/\n", "-B 1000 -R 7");
  EXPECT_EQ(bash("cmp local/9000001 local/back/blocks && echo same").output, "same\n");
}

TEST_F(ServeSftp, C6FilesOfLengthsAroundBlocks) {
  bash("for n in $(seq 0 40) $(seq 240 270) $(seq 455 520) 600; do head -c $n /dev/urandom > local/$n; done");
  run("put *\nlmkdir back\nget * back/\n");
  EXPECT_EQ(bash("cd local; for n in [0-9]*; do cmp $n ../remote/$n && cmp $n back/$n || echo $n; done").output, "");
}

TEST_F(ServeSftp, ResumesBothWays) {
  bash(
      "head -c 3000000 /dev/urandom > local/up; head -c 1000001 local/up > remote/up; "
      "cp local/up remote/down; head -c 777777 remote/down > local/down");
  run("reput up\nreget down\n");
  EXPECT_EQ(bash("cmp local/up remote/up && cmp remote/down local/down && echo same").output, "same\n");
}

TEST_F(ServeSftp, C74ResumesPast4GiB) {
  bash(
      "truncate -s 5G remote/down local/up; for f in remote/down local/up; do printf end >> $f; done; "
      "truncate -s 5368000000 local/down remote/up");
  run("reput up\nreget down\n");
  for (const char* file : {"remote/up", "local/down"})
    EXPECT_EQ(bash("stat -c %s " + std::string(file) + "; tail -c 3 " + file).output, "5368709123\nend") << file;
}

TEST_F(ServeSftp, TreesKeepTheirAttributes) {
  bash(
      "mkdir -p local/tree/a/b; cd local/tree; for i in $(seq 300); do echo $i > a/$i; done; echo x > a/b/x; "
      "chmod 751 a; chmod 640 a/1; chmod 500 a/2; touch -d '2001-02-03 04:05:06' a/3 a/b");
  run("put -pR tree\nget -pR tree back\n");
  const std::string facts = "find . -printf '%P %y %m %s %Ts\\n' | sort";
  EXPECT_EQ(bash("(cd local/tree; " + facts + ") > 1; (cd remote/tree; " + facts + ") > 2; (cd local/back; " + facts +
                 ") > 3; cmp 1 2; cmp 2 3; diff -r local/tree local/back; wc -l < 3")
                .output,
            "304\n");
}

TEST_F(ServeSftp, DoesWhatItsCommandsSay) {
  bash("echo content > local/f");
  const ProgramResult result = sftp(*server_,
                                    "pwd\nput f\nmkdir sub\nchmod 0640 f\nls -l\nrename f sub/g\nln -s sub/g soft\n"
                                    "ln sub/g hard\ndf\ndf -h .\ncopy hard copied\nls -1\nsymlink absent dangling\n");
  EXPECT_EQ(result.exit_code, 0) << result.error;
  EXPECT_THAT(result.output, HasSubstr("Remote working directory: " + (server_->folder() / "remote").string()));
  EXPECT_THAT(result.output, ContainsRegex("-rw-r----- .* 8 .* f\n"));
  EXPECT_THAT(result.output, ContainsRegex("Size +Used +Avail"));
  EXPECT_EQ(bash("cd remote; cat sub/g copied; readlink soft dangling; stat -c %h hard").output,
            "content\ncontent\nsub/g\nabsent\n2\n");
  run("rm soft\nrm hard\nrm copied\nrm dangling\nrm sub/g\nrmdir sub\n");
  EXPECT_EQ(bash("ls remote").output, "");
}

TEST_F(ServeSftp, C73ListsLongFolders) {
  bash("cd remote; n=$(printf 'n%.0s' $(seq 200)); for i in $(seq 3000); do echo $i$n; done | xargs touch");
  const ProgramResult listed = sftp(*server_, "ls -l\n");
  EXPECT_GE(std::count(listed.output.begin(), listed.output.end(), '\n'), 3000);
}

TEST_F(ServeSftp, ScpCarriesTreesBothWays) {
  bash("mkdir -p local/t/sub; head -c 3000000 /dev/urandom > local/t/sub/f; chmod 600 local/t/sub/f");
  EXPECT_EQ(
      bash("scp -q -r -p $OPTIONS local/t $AT:$PWD/remote/t && scp -q -r -p $OPTIONS $AT:$PWD/remote/t local/u && "
           "diff -r local/t local/u && stat -c %a local/u/sub/f")
          .output,
      "600\n");
}

TEST_F(ServeSftp, C70SeveralChannelsOfOneConnection) {
  bash("head -c 20000000 /dev/urandom > local/f; ssh -MNf -S sock $OPTIONS $AT");
  EXPECT_EQ(
      bash("for i in 1 2 3 4; do echo \"put local/f remote/$i\nget remote/$i local/$i\" > b$i; "
           "sed -i \"s, remote/, $PWD/remote/,\" b$i; sftp -q -b b$i -o ControlPath=sock $OPTIONS $AT >/dev/null & "
           "done; wait; for i in 1 2 3 4; do cmp local/f local/$i && echo same; done; "
           "ssh -S sock -O exit $OPTIONS $AT 2>/dev/null")
          .output,
      "same\nsame\nsame\nsame\n");
}

TEST_F(ServeSftp, AFullDiskIsSaid) {
  bash("head -c 300000 /dev/zero > local/f");
  const ProgramResult result = sftp(*server_, "put f /dev/full\n");
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.error, ContainsRegex("write remote .*/dev/full.*: Failure"));
}

TEST_F(ServeSftp, RefusalsAreSaid) {
  EXPECT_THAT(sftp(*server_, "get absent\n").error, HasSubstr("not found"));
  EXPECT_THAT(sftp(*server_, "rmdir absent\n").error, HasSubstr("No such file"));
  bash("echo x > local/x");
  EXPECT_THAT(sftp(*server_, "put x absent/x\n").error, HasSubstr("No such file"));
}

#define PLUMB_START_SERVE(name, ...)                  \
  const auto name = ServeProcess::start(__VA_ARGS__); \
  ASSERT_NE(name, nullptr)

// A write beyond the limit raises SIGXFSZ, which would be the end of the whole server.
TEST(ServeSftpLimits, AFileThatMayNotGrowIsSaidAndNothingElseEnds) {
  PLUMB_START_SERVE(server, {.launcher = {"prlimit", "--fsize=1000000"}});
  server->bash("mkdir local; head -c 3000000 /dev/zero > local/large; head -c 1000 /dev/zero > local/small");
  const ProgramResult large = sftp(*server, "put large\n");
  EXPECT_EQ(large.exit_code, 1);
  EXPECT_THAT(large.error, HasSubstr("Failure"));
  EXPECT_EQ(server->bash("stat -c %s remote/large").output, "1000000\n");
  EXPECT_EQ(sftp(*server, "put small\n").exit_code, 0);
}

TEST(ServeSftpLimits, PermissionThatIsTakenAwayMeanwhileIsSaid) {
  // Root is held to permissions without this capability; others are anyway.
  PLUMB_START_SERVE(server, {.launcher = {"setpriv", "--bounding-set=-dac_override,-dac_read_search"}});
  server->bash("mkdir local; echo 1 > local/first; echo 2 > local/second");
  const std::string folder = (server->folder() / "remote/d").string();
  const ProgramResult result =
      sftp(*server, "mkdir d\nput first d/first\n!chmod 555 " + folder + "\nput second d/second\n");
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.error, HasSubstr("second\": Permission denied"));
  EXPECT_EQ(server->bash("ls remote/d").output, "first\n");
}

TEST(ServeSftpLimits, AServerThatDiesLeavesWhatResumeCompletes) {
  PLUMB_START_SERVE(server, {});
  server->bash("mkdir local remote; head -c 4000000 /dev/urandom > local/f");
  const ProgramResult cut = server->bash(
      "echo \"put local/f $PWD/remote/f\" > batch; sftp -q -l 8000 -b batch $OPTIONS $AT & "
      "until [ $(stat -c %s remote/f 2>/dev/null || echo 0) -gt 100000 ]; do sleep 0.05; done; kill -KILL " +
      std::to_string(server->id()) +
      "; wait $! || echo failed; head -c $(stat -c %s remote/f) local/f | cmp - remote/f");
  EXPECT_THAT(cut.output, HasSubstr("\nfailed\n")) << cut.error;
  EXPECT_THAT(cut.output, Not(HasSubstr("differ")));
  PLUMB_START_SERVE(again, {});
  const std::string folder = server->folder().string();
  EXPECT_EQ(again
                ->bash("echo 'reput " + folder + "/local/f " + folder +
                       "/remote/f' > batch; sftp -q -b batch $OPTIONS "
                       "$AT >/dev/null; cmp " +
                       folder + "/local/f " + folder + "/remote/f && echo same")
                .output,
            "same\n");
}

TEST(ServeSftpRoot, NothingLeadsOutside) {
  const auto folder = fs::temp_directory_path() / ("sftp-root-" + std::to_string(getpid()));
  fs::create_directories(folder / "top/sub");
  std::ofstream(folder / "secret") << "secret";
  std::ofstream(folder / "top/inside") << "inside";
  fs::create_symlink("../secret", folder / "top/out");
  fs::create_symlink(folder / "secret", folder / "top/absolute");
  fs::create_symlink("/inside", folder / "top/within");
  PLUMB_START_SERVE(server, {.arguments = {"-o", "SftpRoot=" + (folder / "top").string()}});
  const auto try_out = [&](const std::string& commands) { return sftp(*server, commands, "", true); };
  EXPECT_THAT(try_out("pwd\ncd sub/../..\npwd\n").output, HasSubstr("Remote working directory: /\n"));
  for (const char* path : {"../secret", "/../secret", "sub/../../secret", "out", "absolute"})
    EXPECT_EQ(try_out("get " + std::string(path) + " taken\n").exit_code, 1) << path;
  EXPECT_EQ(try_out("get " + (folder / "secret").string() + " taken\n").exit_code, 1);
  EXPECT_FALSE(fs::exists(server->folder() / "local/taken"));
  EXPECT_EQ(try_out("get within\nget inside\nln -s /inside mine\nls -l\nget mine\n").exit_code, 0);
  EXPECT_EQ(server->bash("cat local/within local/mine").output, "insideinside");
  std::ofstream(server->folder() / "local/new") << "new";
  try_out("put new ../escaped\nrename inside ../../moved\nln -s ../../secret link\nput new link\n");
  EXPECT_EQ(server->bash("cat " + (folder / "secret").string()).output, "secret");
  EXPECT_FALSE(fs::exists(folder / "escaped") || fs::exists(folder / "moved"));
  EXPECT_TRUE(fs::exists(folder / "top/escaped"));
  fs::remove_all(folder);
}

TEST(ServeSftpRoot, ReadOnlyRefusesEveryChange) {
  PLUMB_START_SERVE(server, {.arguments = {"-o", "Subsystem=sftp internal-sftp -R"}});
  server->bash("mkdir -p local remote/sub; echo here > remote/f; echo new > local/n");
  for (const char* change : {"put n", "put n f", "rm f", "mkdir d", "rmdir sub", "rename f g", "ln f g", "ln -s f g",
                             "chmod 600 f", "copy f g"})
    EXPECT_THAT(sftp(*server, std::string(change) + "\n").error, HasSubstr("ermission denied")) << change;
  EXPECT_EQ(sftp(*server, "get f\nls -l\ndf\n").exit_code, 0);
  EXPECT_EQ(server->bash("cat local/f; ls remote").output, "here\nf\nsub\n");
}

TEST(ServeSftpOnly, ForcedItIsAllThatThereIs) {
  PLUMB_START_SERVE(server, {.arguments = {"-o", "ForceCommand=internal-sftp"}});
  EXPECT_EQ(sftp(*server, "pwd\n").exit_code, 0);
  EXPECT_EQ(server->bash("$SSH 'echo a shell' </dev/null").output, "");
  EXPECT_EQ(server->bash("echo 'echo a shell' | $SSH").exit_code, 1);  // no SFTP packet
  EXPECT_TRUE(server->logs("sftp: the peer sent an SFTP packet longer than 256 KiB"));
}

TEST(ServeSftpOnly, AKeyMayBeForFilesAlone) {
  PLUMB_START_SERVE(server, {.key_options = R"(restrict,command="internal-sftp -R")"});
  EXPECT_EQ(sftp(*server, "pwd\n").exit_code, 0);
  EXPECT_THAT(sftp(*server, "mkdir d\n").error, HasSubstr("ermission denied"));
  EXPECT_EQ(server->bash("$SSH 'echo a shell' </dev/null").output, "");
}

TEST(ServeSftpOnly, WordsThatItDoesNotKnowLetNobodyIn) {
  PLUMB_START_SERVE(server, {.key_options = R"(command="internal-sftp -d /tmp")"});
  EXPECT_NE(sftp(*server, "pwd\n").exit_code, 0);
  EXPECT_TRUE(server->logs("no command: internal-sftp takes no argument but -R"));
}

// The name is the server's to use: a client that asks for a command gets the shell's answer.
TEST(ServeSftpOnly, AClientsCommandIsNeverTakenForIt) {
  PLUMB_START_SERVE(server, {});
  EXPECT_EQ(server->bash("$SSH internal-sftp </dev/null").exit_code, 127);
}

TEST(ServeSftpOnly, OpenSshsServerCanBeNamedInItsPlace) {
  if (!fs::exists("/usr/lib/openssh/sftp-server")) GTEST_SKIP() << "/usr/lib/openssh/sftp-server is not installed";
  PLUMB_START_SERVE(server, {.arguments = {"-o", "Subsystem=sftp exec -a theirs-71 /usr/lib/openssh/sftp-server"}});
  EXPECT_THAT(sftp(*server, "!pgrep -f ^theirs-71\n").output, ContainsRegex("[0-9]+\n"));
}

}  // namespace
}  // namespace plumb
