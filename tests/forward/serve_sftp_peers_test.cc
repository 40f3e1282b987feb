// The files of `plumb serve`, judged by the clients of others: what tools/peers.sh installs.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/forward/serve_process.h"

namespace plumb {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using testing::ServeProcess;

class ServeSftpPeers : public ::testing::Test {
 protected:
  void SetUp() override {
    server_ = ServeProcess::start();
    ASSERT_NE(server_, nullptr);
    bash(
        "mkdir -p local/tree/sub remote; head -c 3000001 /dev/urandom > local/tree/f; echo x > local/tree/sub/x; chmod "
        "604 local/tree/sub/x; "
        "for i in $(seq 100); do echo $i > local/tree/sub/$i; done; chmod 640 local/tree/f; "
        "touch -d '2001-02-03 04:05:06' local/tree/f");
  }
  ProgramResult bash(const std::string& script) { return server_->bash(script, std::chrono::seconds(100)); }
  bool has(const std::string& program) { return bash("command -v " + program).exit_code == 0; }
  std::string words() {  // what the scripts are given
    return std::to_string(server_->port()) + " " + ServeProcess::user() + " $PWD/client_key";
  }

  std::unique_ptr<ServeProcess> server_;
};

#define PLUMB_NEEDS(program) \
  if (!has(program)) GTEST_SKIP() << program " is not installed (tools/peers.sh)"

TEST_F(ServeSftpPeers, Sshfs) {
  PLUMB_NEEDS("sshfs");
  if (!fs::exists("/dev/fuse")) GTEST_SKIP() << "there is no /dev/fuse here";
  bash("mkdir mounted");
  const ProgramResult mounted =
      bash("sshfs -o ssh_command=\"ssh $OPTIONS\" $AT:$PWD/remote mounted </dev/null >said 2>&1; cat said");
  if (bash("mountpoint -q mounted").exit_code != 0) {
    const std::string said = mounted.output + mounted.error;
    if (said.find("fuse") != std::string::npos) GTEST_SKIP() << "nothing can be mounted here: " << said;
    FAIL() << said;
  }
  const ProgramResult result = bash(
      "cp -a local/tree mounted/tree && diff -r local/tree mounted/tree && mv mounted/tree/f mounted/g && "
      "ln -s g mounted/link && cmp mounted/link local/tree/f && chmod 600 mounted/g && echo more >> mounted/g && "
      "truncate -s 10 mounted/tree/sub/x && stat -c '%a %s' mounted/g mounted/tree/sub/x && df mounted >/dev/null && "
      "rm -r mounted/tree && ls mounted");
  bash("fusermount3 -u mounted || fusermount -u mounted || umount mounted");
  EXPECT_EQ(result.output, "600 3000006\n604 10\ng\nlink\n") << result.error;
}

TEST_F(ServeSftpPeers, Rclone) {
  PLUMB_NEEDS("rclone");
  const ProgramResult result =
      bash("export RCLONE_CONFIG=$PWD/rclone.conf; touch rclone.conf; at=\":sftp,host=127.0.0.1,port=" +
           std::to_string(server_->port()) + ",user=" + ServeProcess::user() +
           ",key_file=$PWD/client_key,known_hosts_file=$PWD/known_hosts,shell_type=none:$PWD/remote\"; "
           "rclone copy local/tree \"$at/tree\" && rclone check --download local/tree \"$at/tree\" 2>/dev/null && "
           "rclone copy \"$at/tree\" local/back && diff -r local/tree local/back && rclone moveto \"$at/tree/f\" "
           "\"$at/g\" && "
           "rclone lsf \"$at\" && rclone about \"$at\" >/dev/null && rclone purge \"$at/tree\" && ls remote");
  EXPECT_EQ(result.output, "g\ntree/\ng\n") << result.error;
  EXPECT_EQ(bash("stat -c %Y remote/g; stat -c %Y local/tree/f").exit_code, 0);
}

TEST_F(ServeSftpPeers, Lftp) {
  PLUMB_NEEDS("lftp");
  const ProgramResult result = bash(
      "export HOME=$PWD; lftp -e \"set cmd:fail-exit yes; set sftp:connect-program 'ssh -a -x $OPTIONS'; "
      "set net:max-retries 1; open sftp://" +
      ServeProcess::user() +
      ":@127.0.0.1; cd $PWD/remote; mirror -R local/tree tree; mirror tree local/back; "
      "mv tree/f g; get g -o local/g; chmod 600 g; cls -1; rm -r tree; exit\" && diff -r local/tree local/back && "
      "cmp local/g local/tree/f && stat -c '%a %n' remote/*");
  EXPECT_EQ(result.output, "g\ntree/\n600 remote/g\n") << result.error;
}

TEST_F(ServeSftpPeers, Asyncssh) {
  if (bash("/usr/bin/python3 -W ignore -c 'import asyncssh'").exit_code != 0)
    GTEST_SKIP() << "python3-asyncssh is not installed (tools/peers.sh)";
  const ProgramResult result = bash("mkdir own; /usr/bin/python3 " PLUMB_TEST_FOLDER "/sftp_peer_asyncssh.py " +
                                    words() + " $PWD/known_hosts $PWD/own $PWD/remote");
  EXPECT_EQ(result.output, "done\n") << result.error;
}

TEST_F(ServeSftpPeers, NpmSsh2) {
  PLUMB_NEEDS("node");
  const ProgramResult found =
      bash("printf %s ${PLUMB_NPM:-${XDG_CACHE_HOME:-$HOME/.cache}/plumbline/npm}/node_modules");
  const fs::path folder = found.output;
  if (!fs::exists(folder / "ssh2")) GTEST_SKIP() << "npm's ssh2 is not in " << folder << " (tools/peers.sh --npm)";
  const ProgramResult result =
      bash("mkdir own; NODE_PATH=" + folder.string() + " node " PLUMB_TEST_FOLDER "/sftp_peer_ssh2.js " + words() +
           " $PWD/own $PWD/remote");
  EXPECT_EQ(result.output, "done\n") << result.error;
}

}  // namespace
}  // namespace plumb
