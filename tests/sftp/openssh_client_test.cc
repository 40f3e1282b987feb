// OpenSSH's sftp against our server, which it starts itself (-D), command by command from a batch.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>

#include "tests/sftp/process_wire.h"
#include "tests/testing/seeded_random.h"

namespace plumb::sftp::testing {
namespace {

namespace fs = std::filesystem;

class OpenSshSftp : public ::testing::Test {
 protected:
  void SetUp() override {
    if (std::system("command -v sftp > /dev/null 2>&1") != 0) GTEST_SKIP() << "sftp is not installed";
    fs::create_directory(local());
    fs::create_directory(remote());
  }

  /// Runs a batch; its output. `expected`: its exit code.
  std::string batch(const std::string& commands, const std::string& arguments = "", int expected = 0,
                    const std::string& flags = "") {
    write_file(folder_ / "batch", commands);
    const std::string command = "cd '" + local() + "' && sftp -q " + flags + " -b '" + folder_ / "batch" + "' -D '" +
                                PLUMB_STDIO_SERVER + " --home " + remote() + " " + arguments + "' > '" +
                                folder_ / "out" + "' 2>&1";
    const int status = std::system(command.c_str());
    const std::string output = read_file(folder_ / "out");
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == expected) << commands << output;
    return output;
  }

  std::string local() const { return folder_ / "local"; }
  std::string remote() const { return folder_ / "remote"; }
  std::string local(std::string_view name) const { return local() + "/" + std::string(name); }
  std::string remote(std::string_view name) const { return remote() + "/" + std::string(name); }

  TemporaryFolder folder_;
};

std::string random_text(size_t size) {
  plumb::testing::SeededRandom random;
  return std::string(as_text(random.bytes(size)));
}

TEST_F(OpenSshSftp, PutsAndGetsFilesOfManySizes) {
  std::string commands;
  const size_t sizes[] = {0, 1, 1000, 32767, 32768, 32769, 261120, 5 * 1024 * 1024 + 3};
  for (const size_t size : sizes) {
    const std::string n = std::to_string(size);
    write_file(local(n), random_text(size));
    commands += "put -p " + n + "\nget -p " + n + " back-" + n + "\n";
  }
  batch(commands);
  batch("put 261120 small-blocks\nget small-blocks back-small\n", "", 0, "-B 1000 -R 3");
  batch("get 5242883 back-blocks\n", "", 0, "-B 32768");
  for (const size_t size : sizes) {
    const std::string n = std::to_string(size);
    EXPECT_TRUE(read_file(local(n)) == read_file(remote(n))) << n;
    EXPECT_TRUE(read_file(local(n)) == read_file(local("back-" + n))) << n;
  }
  EXPECT_TRUE(read_file(local("261120")) == read_file(local("back-small")));
  EXPECT_TRUE(read_file(local("5242883")) == read_file(local("back-blocks")));
}

TEST_F(OpenSshSftp, ResumesBothWays) {
  const std::string content = random_text(3 * 1024 * 1024);
  write_file(local("up"), content);
  write_file(remote("up"), content.substr(0, 1000001));
  write_file(remote("down"), content);
  write_file(local("down"), content.substr(0, 777777));
  batch("reput up\nreget down\n");
  EXPECT_TRUE(read_file(remote("up")) == content);
  EXPECT_TRUE(read_file(local("down")) == content);
}

TEST_F(OpenSshSftp, DoesWhatItsCommandsSay) {
  write_file(local("f"), "content");
  const std::string output = batch(
      "pwd\nput f\nmkdir sub\nls -la\nchmod 0640 f\nrename f sub/g\nln -s sub/g soft\nln sub/g hard\nls -1\n"
      "df\ndf -h .\ncopy hard copied\ncd sub\npwd\nls -l\ncd ..\nsymlink absent dangling\nput -f f synced\n"
      "chmod 0600 copied\n");
  EXPECT_NE(output.find("Remote working directory: " + remote()), std::string::npos) << output;
  EXPECT_NE(output.find("-rw-r-----"), std::string::npos) << output;
  EXPECT_NE(output.find("Size"), std::string::npos) << output;
  EXPECT_EQ(read_file(remote("sub/g")), "content");
  EXPECT_EQ(read_file(remote("copied")), "content");
  EXPECT_EQ(read_file(remote("synced")), "content");
  EXPECT_EQ(fs::read_symlink(remote("soft")), "sub/g");
  EXPECT_EQ(fs::read_symlink(remote("dangling")), "absent");
  EXPECT_EQ(fs::hard_link_count(remote("hard")), 2u);
  batch("rm soft\nrm sub/g\nrmdir sub\nrm hard\nrm copied\nrm dangling\nrm synced\n");
  EXPECT_TRUE(fs::is_empty(remote()));
}

TEST_F(OpenSshSftp, CarriesWholeFolders) {
  fs::create_directories(local("tree/a/b"));
  for (const char* name : {"tree/1", "tree/a/2", "tree/a/b/3"}) write_file(local(name), random_text(50000));
  batch("put -r tree\nget -r tree back\n");
  for (const char* name : {"1", "a/2", "a/b/3"})
    EXPECT_TRUE(read_file(local(std::string("tree/") + name)) == read_file(local(std::string("back/") + name))) << name;
}

TEST_F(OpenSshSftp, C73ShowsLongListings) {
  for (int i = 0; i < 3000; i++) write_file(remote(std::to_string(i) + std::string(200, 'n')), "");
  const std::string output = batch("ls -l\n");
  EXPECT_GE(std::count(output.begin(), output.end(), '\n'), 3000);
}

TEST_F(OpenSshSftp, IsToldWhyNot) {
  EXPECT_NE(batch("get absent\n", "", 1).find("not found"), std::string::npos);
  EXPECT_NE(batch("rmdir absent\n", "", 1).find("No such file"), std::string::npos);
  EXPECT_NE(batch("mkdir sub\n", "--read-only", 1).find("Permission denied"), std::string::npos);
  EXPECT_TRUE(fs::is_empty(remote()));
}

}  // namespace
}  // namespace plumb::sftp::testing
