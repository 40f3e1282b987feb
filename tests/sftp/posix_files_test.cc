// That nothing leads out of the folder that is served.
#include "sftp/posix_files.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <filesystem>
#include <thread>

#include "sftp/messages.h"
#include "tests/sftp/process_wire.h"

namespace plumb::sftp::testing {
namespace {

class Confined : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ(mkdir((folder_ / "top").c_str(), 0755), 0);
    ASSERT_EQ(mkdir((folder_ / "top/sub").c_str(), 0755), 0);
    write_file(folder_ / "secret", "secret");
    write_file(folder_ / "top/inside", "inside");
    files_ = PosixFiles::open({.confine_to = folder_ / "top"}).value();
  }

  void link(const std::string& target, std::string_view name) {
    ASSERT_EQ(symlink(target.c_str(), (folder_ / "top/").append(name).c_str()), 0);
  }

  std::string read(std::string_view path) {
    const auto file = files_->open(path, kOpenRead, {});
    if (!file) return "errno " + std::to_string(file.error().os_error);
    std::string text(100, '\0');
    const Result<size_t> n = (*file)->read_at(0, {reinterpret_cast<uint8_t*>(text.data()), text.size()});
    text.resize(n.value_or(0));
    return text;
  }

  TemporaryFolder folder_;
  std::unique_ptr<PosixFiles> files_;
};

TEST_F(Confined, PathsStopAtTheTop) {
  EXPECT_EQ(read("inside"), "inside");
  EXPECT_EQ(read("/inside"), "inside");
  EXPECT_EQ(read("sub/../../../inside"), "inside");
  const std::string none = "errno " + std::to_string(ENOENT);
  EXPECT_EQ(read("../secret"), none);
  EXPECT_EQ(read("/../secret"), none);
  EXPECT_EQ(read("sub/../../secret"), none);
  EXPECT_EQ(read(folder_ / "secret"), none);
  EXPECT_EQ(*files_->real_path("/.."), "/");
  EXPECT_EQ(*files_->real_path("sub/../sub/x"), "/sub/x");
}

TEST_F(Confined, LinksStopThereToo) {
  link("../secret", "out");
  link(folder_ / "secret", "absolute");
  link("/inside", "within");
  link("..", "up");
  link("sub/../../top/inside", "around");
  link("loop", "loop");
  const std::string none = "errno " + std::to_string(ENOENT);
  EXPECT_EQ(read("out"), none);
  EXPECT_EQ(read("absolute"), none);
  EXPECT_EQ(read("within"), "inside");
  EXPECT_EQ(read("up/secret"), none);
  EXPECT_EQ(read("up/inside"), "inside");
  EXPECT_EQ(read("around"), none);
  EXPECT_EQ(read("loop"), "errno " + std::to_string(ELOOP));
  EXPECT_EQ(files_->stat("out").error().os_error, ENOENT);
  EXPECT_TRUE(files_->link_stat("out")->is_type(kTypeLink));

  // What would make, change or move something outside.
  EXPECT_TRUE(files_->open("out", kOpenWrite | kOpenCreate, {}));  // inside, where the link leads
  EXPECT_TRUE(std::filesystem::exists(folder_ / "top/secret"));
  EXPECT_FALSE(files_->set_attrs("absolute", with_permissions(0)));
  EXPECT_FALSE(files_->make_hard_link("../secret/x", "stolen"));
  EXPECT_TRUE(files_->replace("inside", "../secret"));
  EXPECT_EQ(read("secret"), "inside");
  EXPECT_EQ(read_file(folder_ / "secret"), "secret");
  EXPECT_TRUE(files_->remove("up"));
}

TEST_F(Confined, NobodyCanRenameAWayOut) {
  std::atomic<bool> stop = false;
  const std::string sub = folder_ / "top/sub", moved = folder_ / "moved", inner = sub + "/deep";
  ASSERT_EQ(mkdir(inner.c_str(), 0755), 0);
  std::thread mover([&] {
    while (!stop) {
      ::rename(sub.c_str(), moved.c_str());
      ::rename(moved.c_str(), sub.c_str());
      const std::string deep = sub + "/deep", kept = folder_ / "top/kept";
      ::rename(deep.c_str(), kept.c_str());
      if (symlink("../../..", deep.c_str()) == 0) unlink(deep.c_str());
      ::rename(kept.c_str(), deep.c_str());
    }
  });
  for (int i = 0; i < 3000; i++) {
    EXPECT_NE(read("sub/deep/../../../secret"), "secret");
    EXPECT_NE(read("sub/deep/secret"), "secret");
    EXPECT_NE(read("sub/../secret"), "secret");
  }
  stop = true;
  mover.join();
}

TEST_F(Confined, APipeMakesNobodyWait) {
  ASSERT_EQ(mkfifo((folder_ / "top/pipe").c_str(), 0600), 0);
  EXPECT_EQ(files_->open("pipe", kOpenWrite, {}).error().os_error, ENXIO);
  const auto pipe = files_->open("pipe", kOpenRead, {});
  ASSERT_TRUE(pipe);
  uint8_t byte = 0;
  EXPECT_EQ((*pipe)->read_at(0, {&byte, 1}).error().os_error, ESPIPE);
}

TEST(PosixFiles, AFolderThatIsNotThereIsSaid) {
  EXPECT_EQ(PosixFiles::open({.confine_to = "/absent/folder"}).error().os_error, ENOENT);
}

}  // namespace
}  // namespace plumb::sftp::testing
