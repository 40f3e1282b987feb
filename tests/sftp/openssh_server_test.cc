// Our client against OpenSSH's sftp-server, and our server on the same files asked the same: what one answers the other
// has to.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sftp/posix_files.h"
#include "tests/sftp/operations.h"
#include "tests/sftp/process_wire.h"

namespace plumb::sftp::testing {
namespace {

enum class Peer { kOpenSsh, kOurs };

class SftpPeer : public ::testing::TestWithParam<Peer> {
 protected:
  void SetUp() override {
    if (GetParam() == Peer::kOurs) {
      files_ = PosixFiles::open({.home = folder_.path()}).value();
      wire_ = std::make_unique<MemoryWire>(*files_);
    } else {
      if (access(kOpenSshServer, X_OK) != 0) GTEST_SKIP() << kOpenSshServer << " is not installed";
      wire_ = std::make_unique<ProcessWire>(std::vector<std::string>{kOpenSshServer, "-d", folder_.path()});
    }
    session_ = std::make_unique<TestSession>(*wire_);
  }

  TemporaryFolder folder_;
  std::unique_ptr<PosixFiles> files_;
  std::unique_ptr<Wire> wire_;
  std::unique_ptr<TestSession> session_;
};

TEST_P(SftpPeer, DoesEveryOperation) { check_operations(*session_, folder_.path()); }
TEST_P(SftpPeer, DoesEveryExtension) { check_extensions(*session_, folder_.path()); }
TEST_P(SftpPeer, RefusesWithTheSameCodes) { check_refusals(*session_, folder_.path()); }
TEST_P(SftpPeer, CarriesFilesBothWays) { check_transfers(*session_, folder_.path()); }

TEST_P(SftpPeer, RelativePathsBeginAtItsFolder) {
  Client& c = session_->client;
  EXPECT_EQ(session_->status_of(c.make_directory("sub")), StatusCode::kOk);
  const auto names = session_->ask_for<reply::Names>(c.real_path("sub"));
  EXPECT_EQ(names.entries.at(0).name, folder_ / "sub");
  EXPECT_EQ(session_->ask_for<reply::Names>(c.real_path("")).entries.at(0).name, folder_.path());
  EXPECT_EQ(session_->ask_for<reply::Names>(c.expand_path("~/sub")).entries.at(0).name, folder_ / "sub");
  EXPECT_EQ(session_->ask_for<reply::Names>(c.expand_path("~root")).entries.at(0).name, "/root");
  EXPECT_EQ(session_->ask_for<reply::Names>(c.home_directory("root")).entries.at(0).name, "/root");
}

TEST_P(SftpPeer, C74OffsetsPast4GiB) {
  const std::string path = folder_ / "sparse";
  const int fd = open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  ASSERT_GE(fd, 0);
  const std::string content = "12345678";
  const uint64_t places[] = {(uint64_t{1} << 31) - 1, uint64_t{1} << 31, (uint64_t{1} << 32) - 1, uint64_t{1} << 32};
  for (const uint64_t place : {places[0], places[2]})
    ASSERT_EQ(pwrite(fd, content.data(), 8, static_cast<off_t>(place)), 8);
  const uint64_t size = (uint64_t{1} << 32) + 100;
  ASSERT_EQ(ftruncate(fd, static_cast<off_t>(size)), 0);
  close(fd);

  const FileHandle handle = session_->open(path, kOpenRead);
  for (const uint64_t place : places) {
    const auto data = session_->ask_for<reply::Data>(session_->client.read(handle, place, 7));
    EXPECT_EQ(as_text(data.bytes), content.substr(place % 2 == 0, 7)) << place;
  }

  /// Keeps what comes behind `offset`.
  class Tail final : public File {
   public:
    uint64_t offset = 0, end = 0;
    std::string bytes;
    Result<size_t> read_at(uint64_t at, MutBytes space) override {
      const size_t n = at >= end ? 0 : std::min<uint64_t>(space.size(), end - at);
      std::fill_n(space.begin(), n, uint8_t{'t'});
      return n;
    }
    Result<void> write_at(uint64_t at, Bytes data) override {
      EXPECT_GE(at, offset);
      bytes.resize(std::max<size_t>(bytes.size(), at - offset + data.size()));
      std::copy(data.begin(), data.end(), bytes.begin() + static_cast<std::ptrdiff_t>(at - offset));
      return {};
    }
    Result<Attrs> stat() override { return Attrs{}; }
    Result<void> set_attrs(const Attrs&) override { return {}; }
    Result<StatvfsReply> statvfs() override { return StatvfsReply{}; }
    Result<void> sync() override { return {}; }
  } tail;
  tail.offset = (uint64_t{1} << 32) - 1;
  Download download(session_->client, path, tail, {.offset = tail.offset});
  const TransferResult got = session_->run(download);
  EXPECT_FALSE(got.error);
  EXPECT_EQ(got.contiguous, size);
  EXPECT_EQ(tail.bytes.size(), 101u);
  EXPECT_TRUE(tail.bytes.starts_with(content));

  tail.end = size + 50;
  Upload upload(session_->client, path, tail, {.offset = size});
  EXPECT_EQ(session_->run(upload).contiguous, size + 50);
  EXPECT_EQ(session_->ask_for<reply::Attributes>(session_->client.stat(path)).attrs.size, size + 50);
}

TEST_P(SftpPeer, AFileWithoutASizeIsReadToItsEnd) {
  LocalBytes local;
  Download download(session_->client, "/proc/self/status", local, {});
  EXPECT_FALSE(session_->run(download).error);
  EXPECT_NE(as_text(local.bytes).find("VmRSS"), std::string::npos);
}

TEST_P(SftpPeer, C73LongListings) {
  for (int i = 0; i < 1000; i++) write_file(folder_ / (std::to_string(i) + std::string(200, 'n')), "");
  Client& c = session_->client;
  const DirectoryHandle handle = session_->ask_for<reply::DirectoryOpened>(c.open_directory(folder_.path())).handle;
  size_t entries = 0;
  while (true) {
    const Reply reply = session_->ask(c.read_directory(handle));
    const auto* names = std::get_if<reply::Names>(&reply.what);
    if (names == nullptr) break;
    entries += names->entries.size();
  }
  EXPECT_EQ(entries, 1002u);
}

INSTANTIATE_TEST_SUITE_P(Servers, SftpPeer, ::testing::Values(Peer::kOpenSsh, Peer::kOurs), [](const auto& peer) {
  return std::string(peer.param == Peer::kOpenSsh ? "OpenSsh" : "Ours");
});

/// The lines of `ls -l`, as both servers write them, must be the same.
TEST(SftpLongNames, AreOpenSshs) {
  if (access(kOpenSshServer, X_OK) != 0) GTEST_SKIP() << kOpenSshServer << " is not installed";
  TemporaryFolder folder;
  write_file(folder / "file", "content");
  ASSERT_EQ(chmod((folder / "file").c_str(), 07754), 0);
  ASSERT_EQ(mkdir((folder / "sub").c_str(), 01777), 0);
  ASSERT_EQ(symlink("file", (folder / "link").c_str()), 0);
  write_file(folder / "old", "");
  const timespec old[2] = {{1000000000, 0}, {1000000000, 0}};
  ASSERT_EQ(utimensat(AT_FDCWD, (folder / "old").c_str(), old, 0), 0);
  const auto lines = [&folder](Wire& wire) {
    TestSession s(wire);
    std::vector<std::string> all;
    const DirectoryHandle handle = s.ask_for<reply::DirectoryOpened>(s.client.open_directory(folder.path())).handle;
    for (const NameEntry& entry : s.ask_for<reply::Names>(s.client.read_directory(handle)).entries)
      all.emplace_back(entry.long_name);
    return all;
  };
  const auto files = PosixFiles::open({}).value();
  MemoryWire ours(*files);
  ProcessWire theirs({kOpenSshServer});
  EXPECT_EQ(lines(ours), lines(theirs));
}

}  // namespace
}  // namespace plumb::sftp::testing
