// The files of `plumb serve` in numbers and sizes that take their time.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>

#include "tests/forward/serve_process.h"

namespace plumb {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;
using ::testing::HasSubstr;
using testing::ServeProcess;

class ServeSftpVolume : public ::testing::Test {
 protected:
  void SetUp() override {
    server_ = ServeProcess::start();
    ASSERT_NE(server_, nullptr);
    bash("mkdir local remote");
  }
  ProgramResult bash(const std::string& script) { return server_->bash(script, 600s); }
  void sftp(const std::string& commands) {
    const ProgramResult result =
        bash("echo \"" + commands + "\" | sftp -q -c aes128-gcm@openssh.com -b - $OPTIONS $AT >/dev/null");
    EXPECT_EQ(result.exit_code, 0) << result.error;
  }

  std::unique_ptr<ServeProcess> server_;
};

TEST_F(ServeSftpVolume, TenThousandSmallFilesThereAndBack) {
  bash(
      "mkdir local/tree; cd local/tree; for d in $(seq 100); do mkdir $d; for f in $(seq 100); do echo $d $f > $d/$f; "
      "done; done");
  sftp("put -pR local/tree $PWD/remote/\nget -pR $PWD/remote/tree local/back");
  EXPECT_EQ(
      bash("diff -r local/tree remote/tree && diff -r local/tree local/back && find local/back -type f | wc -l").output,
      "10000\n");
}

TEST_F(ServeSftpVolume, C74FiveGibibytesThereAndBack) {
  if (std::getenv("PLUMB_BIG_FILES") == nullptr)
    GTEST_SKIP() << "set PLUMB_BIG_FILES=1: it moves 10 GiB through the disk";
  constexpr uint64_t kNeeded = uint64_t{12} << 30;
  if (fs::space(server_->folder()).available < kNeeded)
    GTEST_SKIP() << "less than 12 GiB are free in " << server_->folder();
  bash(
      "truncate -s 5G local/f; for at in 0 2147483647 2147483648 4294967295 4294967296; do "
      "printf %s $at | dd of=local/f bs=1M seek=$at oflag=seek_bytes conv=notrunc status=none; done");
  sftp("put local/f $PWD/remote/f\nget $PWD/remote/f local/g");
  EXPECT_EQ(bash("cmp local/f remote/f && cmp local/f local/g && stat -c %s local/g").output, "5368709120\n");
}

TEST_F(ServeSftpVolume, AFullFileSystemIsSaidAndResumeCompletes) {
  if (bash("mount -t tmpfs -o size=1m tmpfs remote").exit_code != 0) GTEST_SKIP() << "nothing can be mounted here";
  bash("head -c 3000000 /dev/urandom > local/f; echo \"put local/f $PWD/remote/f\" > batch");
  const ProgramResult full = bash("sftp -q -b batch $OPTIONS $AT");
  EXPECT_EQ(full.exit_code, 1);
  EXPECT_THAT(full.error, HasSubstr("Failure"));
  EXPECT_EQ(bash("head -c $(stat -c %s remote/f) local/f | cmp - remote/f").exit_code, 0);
  bash("mount -o remount,size=8m remote");
  sftp("reput local/f $PWD/remote/f");
  EXPECT_EQ(bash("cmp local/f remote/f && echo same").output, "same\n");
  bash("umount remote");
}

}  // namespace
}  // namespace plumb
