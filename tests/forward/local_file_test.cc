// Descriptors of every kind: calls that do not block, and flags that stay as they were.
#include "forward/local_file.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <pty.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdlib>
#include <string>

#include "net/runtime.h"

namespace plumb {
namespace {

using Use = LocalFile::Use;

/// Two connected descriptors: what is written to `writer` comes out of `reader`.
struct Channel {
  std::string kind;
  int reader = -1, writer = -1;
};

class LocalFileTest : public testing::Test {
 protected:
  void SetUp() override {
    auto made = Runtime::create();
    ASSERT_TRUE(made);
    runtime_ = std::move(*made);
  }
  void TearDown() override {
    for (const int fd : opened_) close(fd);
  }

  Channel pipe_channel() {
    int fds[2];
    EXPECT_EQ(pipe2(fds, O_CLOEXEC), 0);
    return keep({"pipe", fds[0], fds[1]});
  }
  Channel socket_channel() {
    int fds[2];
    EXPECT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds), 0);
    return keep({"socket", fds[0], fds[1]});
  }
  /// A terminal in raw mode; `master_reads` says at which end our side of the test is.
  Channel terminal_channel(bool master_reads) {
    int master = -1, slave = -1;
    termios raw{};
    cfmakeraw(&raw);
    EXPECT_EQ(openpty(&master, &slave, nullptr, &raw, nullptr), 0);
    return master_reads ? keep({"terminal, master reads", master, slave})
                        : keep({"terminal, slave reads", slave, master});
  }
  std::vector<Channel> channels() {
    return {pipe_channel(), socket_channel(), terminal_channel(true), terminal_channel(false)};
  }

  std::unique_ptr<LocalFile> adopt(int fd, Use use) {
    auto file = LocalFile::adopt(runtime_->io(), fd, use);
    EXPECT_TRUE(file) << describe(file.error());
    return std::move(*file);
  }

  /// Runs the loop until `file` is ready.
  void wait_for(LocalFile& file) {
    bool ready = false;
    file.async_ready([&ready] { ready = true; });
    runtime_->run_until(ready);
    EXPECT_TRUE(ready);
  }

  int temporary_file(const std::string& text) {
    std::string name = ::testing::TempDir() + "plumb-local-file-XXXXXX";
    const int fd = mkstemp(name.data());
    unlink(name.c_str());
    EXPECT_EQ(pwrite(fd, text.data(), text.size(), 0), static_cast<ssize_t>(text.size()));
    opened_.push_back(fd);
    return fd;
  }

  std::unique_ptr<Runtime> runtime_;
  std::vector<int> opened_;

 private:
  Channel keep(Channel channel) {
    opened_.push_back(channel.reader);
    opened_.push_back(channel.writer);
    return channel;
  }
};

TEST_F(LocalFileTest, NothingThereIsNotTheEnd) {
  for (const Channel& channel : channels()) {
    const auto file = adopt(channel.reader, Use::kRead);
    uint8_t space[16];
    const auto nothing = file->read_some(space);
    ASSERT_TRUE(nothing) << channel.kind << ": " << describe(nothing.error());
    EXPECT_FALSE(nothing->has_value()) << channel.kind;
    ASSERT_EQ(write(channel.writer, "abc", 3), 3);
    wait_for(*file);
    const auto some = file->read_some(space);
    ASSERT_TRUE(some && *some) << channel.kind;
    EXPECT_EQ(as_text(Bytes(space, **some)), "abc") << channel.kind;
  }
}

TEST_F(LocalFileTest, FullOneTakesNothingAndIsReadyOnceItWasRead) {
  for (const Channel& channel : {pipe_channel(), socket_channel(), terminal_channel(true)}) {
    const auto file = adopt(channel.writer, Use::kWrite);
    const std::vector<uint8_t> data(1 << 20, 'x');
    size_t sent = 0;
    for (;;) {
      const auto n = file->write_some(data);
      ASSERT_TRUE(n) << channel.kind << ": " << describe(n.error());
      if (*n == 0) break;
      sent += *n;
    }
    EXPECT_GT(sent, 0u) << channel.kind;
    std::vector<uint8_t> space(sent);
    size_t got = 0;
    while (got < sent) {
      const ssize_t n = read(channel.reader, space.data() + got, sent - got);
      ASSERT_GT(n, 0) << channel.kind;
      got += static_cast<size_t>(n);
    }
    wait_for(*file);
    const auto more = file->write_some(data);
    ASSERT_TRUE(more) << channel.kind;
    EXPECT_GT(*more, 0u) << channel.kind;
  }
}

TEST_F(LocalFileTest, FlagsOfTheDescriptorStayAsTheyWere) {
  for (const Channel& channel : channels()) {
    const int before_reader = fcntl(channel.reader, F_GETFL);
    const int before_writer = fcntl(channel.writer, F_GETFL);
    const auto in = adopt(channel.reader, Use::kRead);
    const auto out = adopt(channel.writer, Use::kWrite);
    uint8_t space[16];
    (void)in->read_some(space);
    ASSERT_TRUE(out->write_some(as_bytes("abc"))) << channel.kind;
    wait_for(*in);
    EXPECT_EQ(fcntl(channel.reader, F_GETFL), before_reader) << channel.kind;
    EXPECT_EQ(fcntl(channel.writer, F_GETFL), before_writer) << channel.kind;
    EXPECT_EQ(before_reader & O_NONBLOCK, 0) << channel.kind;
  }
}

TEST_F(LocalFileTest, ClosedWriterIsTheEnd) {
  for (Channel channel : {pipe_channel(), socket_channel()}) {
    const auto file = adopt(channel.reader, Use::kRead);
    uint8_t space[16];
    EXPECT_FALSE(file->read_some(space)->has_value()) << channel.kind;
    ASSERT_EQ(dup2(temporary_file(""), channel.writer), channel.writer);  // closes it and keeps the number taken
    wait_for(*file);
    const auto end = file->read_some(space);
    ASSERT_TRUE(end && *end) << channel.kind;
    EXPECT_EQ(**end, 0u) << channel.kind;
  }
}

TEST_F(LocalFileTest, C67ClosedReaderIsAnErrorAndNotASignal) {
  const SigpipeBlock no_sigpipe;
  for (Channel channel : {pipe_channel(), socket_channel()}) {
    const auto file = adopt(channel.writer, Use::kWrite);
    ASSERT_EQ(dup2(temporary_file(""), channel.reader), channel.reader);
    const auto gone = file->write_some(as_bytes("abc"));
    ASSERT_FALSE(gone) << channel.kind;
    EXPECT_EQ(gone.error().os_error, EPIPE) << channel.kind;
  }
}

TEST_F(LocalFileTest, RegularFilesAreAlwaysReadyAndKeepTheirPosition) {
  const int fd = temporary_file("0123456789");
  ASSERT_EQ(lseek(fd, 4, SEEK_SET), 4);
  uint8_t space[16];
  {
    const auto in = adopt(fd, Use::kRead);
    const auto some = in->read_some(MutBytes(space, 3));
    ASSERT_TRUE(some && *some);
    EXPECT_EQ(as_text(Bytes(space, **some)), "456");
  }
  {
    const auto out = adopt(fd, Use::kWrite);
    EXPECT_EQ(*out->write_some(as_bytes("xyz")), 3u);
  }
  ASSERT_EQ(pread(fd, space, 10, 0), 10);
  EXPECT_EQ(as_text(Bytes(space, 10)), "0123456xyz");
}

TEST_F(LocalFileTest, NullDeviceAndFullDevice) {
  const int null = open("/dev/null", O_RDWR), full = open("/dev/full", O_RDWR);
  opened_.insert(opened_.end(), {null, full});
  uint8_t space[16];
  EXPECT_EQ(**adopt(null, Use::kRead)->read_some(space), 0u);
  EXPECT_EQ(*adopt(null, Use::kWrite)->write_some(as_bytes("abc")), 3u);
  const auto no_space = adopt(full, Use::kWrite)->write_some(as_bytes("abc"));
  ASSERT_FALSE(no_space);
  EXPECT_EQ(no_space.error().os_error, ENOSPC);
}

TEST_F(LocalFileTest, DirectoriesAndClosedDescriptorsAreErrors) {
  const int folder = open("/tmp", O_RDONLY | O_DIRECTORY);
  opened_.push_back(folder);
  uint8_t space[16];
  const auto read = adopt(folder, Use::kRead)->read_some(space);
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().os_error, EISDIR);
  const auto closed = LocalFile::adopt(runtime_->io(), 987, Use::kRead);
  ASSERT_FALSE(closed);
  EXPECT_EQ(closed.error().os_error, EBADF);
}

TEST_F(LocalFileTest, NothingIsCalledOnceTheObjectIsGone) {
  const Channel channel = pipe_channel();
  auto file = adopt(channel.reader, Use::kRead);
  uint8_t space[16];
  EXPECT_FALSE(file->read_some(space)->has_value());
  file->async_ready([] { ADD_FAILURE() << "called"; });
  ASSERT_EQ(write(channel.writer, "abc", 3), 3);
  file.reset();
  runtime_->io().run();
}

}  // namespace
}  // namespace plumb
