// One file beyond 4 GiB and a tree of 10,000, there and back against a real sshd.
#include <gtest/gtest.h>

#include <cstdlib>

#include "tests/forward/file_session.h"

namespace plumb {
namespace {

constexpr std::chrono::minutes kPatience(10);

class FileVolume : public testing::FileSuite<FileVolume> {};

TEST_F(FileVolume, C74FiveGibibytesThereAndBack) {
  if (std::getenv("PLUMB_BIG_FILES") == nullptr)
    GTEST_SKIP() << "set PLUMB_BIG_FILES=1: it moves 6 GiB through the disk";
  const ProgramResult result = bash(R"sh(
    test $(df --output=avail -k . | tail -1) -gt 12000000 || exit 77
    truncate -s 5G here/f
    for at in 0 2147483647 4294967295 4294967296 5368709119; do
      printf %s $at | head -c 1 | dd of=here/f bs=1 seek=$at conv=notrunc 2> /dev/null
    done
    p put here/f $AT/there && cmp here/f there/f || exit 1
    rm here/f; head -c 4294967297 there/f > here/f
    p get --resume $AT/there/f here && cmp here/f there/f)sh",
                                    kPatience);
  if (result.exit_code == 77) GTEST_SKIP() << "the disk has not the 12 GB that this takes";
  EXPECT_EQ(result.exit_code, 0) << result.output << result.error;
}

TEST_F(FileVolume, C75TenThousandFilesThereAndBack) {
  const ProgramResult result = bash(R"sh(
    for i in $(seq 100); do mkdir -p here/tree/$i; for j in $(seq 100); do echo $i.$j > here/tree/$i/$j; done; done
    find here/tree -depth -exec touch -d '2001-02-03 04:05:06' {} +
    p put -rp here/tree $AT/there && p get -rp $AT/there/tree back || exit 1
    tree here/tree > 1; tree there/tree > 2; tree back > 3; wc -l < 1; diff 1 2 && diff 1 3)sh",
                                    kPatience);
  EXPECT_EQ(result.exit_code, 0) << result.output.substr(0, 1000) << result.error.substr(0, 1000);
  EXPECT_EQ(result.output, "20101\n");
}

}  // namespace
}  // namespace plumb
