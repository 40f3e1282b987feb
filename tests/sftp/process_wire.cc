#include "tests/sftp/process_wire.h"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>

namespace plumb::sftp::testing {

ProcessWire::ProcessWire(const std::vector<std::string>& command) {
  int ends[2];
  EXPECT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  std::vector<char*> arguments;
  for (const std::string& word : command) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  EXPECT_EQ(posix_spawn(&pid_, arguments[0], &actions, nullptr, arguments.data(), environ), 0) << command[0];
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
  fd_ = ends[0];
}

ProcessWire::~ProcessWire() {
  close(fd_);
  if (pid_ > 0) waitpid(pid_, nullptr, 0);
}

void ProcessWire::send(Bytes bytes) {
  while (!bytes.empty()) {
    pollfd ready{fd_, POLLIN | POLLOUT, 0};
    ASSERT_GT(poll(&ready, 1, 10000), 0) << "the server neither reads nor writes";
    if ((ready.revents & POLLIN) != 0) {
      uint8_t space[65536];
      const ssize_t n = recv(fd_, space, sizeof space, MSG_DONTWAIT);
      if (n == 0) return;
      if (n > 0) inbox_.insert(inbox_.end(), space, space + n);
    }
    if ((ready.revents & POLLOUT) != 0) {
      const ssize_t n = ::send(fd_, bytes.data(), bytes.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
      if (n > 0) bytes = bytes.subspan(static_cast<size_t>(n));
      if (n < 0 && errno != EAGAIN) return;
    }
  }
}

size_t ProcessWire::receive(MutBytes space) {
  if (!inbox_.empty()) {
    const size_t n = std::min(space.size(), inbox_.size());
    std::copy_n(inbox_.begin(), n, space.begin());
    inbox_.erase(inbox_.begin(), inbox_.begin() + static_cast<std::ptrdiff_t>(n));
    return n;
  }
  pollfd ready{fd_, POLLIN, 0};
  if (poll(&ready, 1, 20000) <= 0) return 0;
  const ssize_t n = recv(fd_, space.data(), space.size(), 0);
  return n > 0 ? static_cast<size_t>(n) : 0;
}

TemporaryFolder::TemporaryFolder() {
  std::string path = std::filesystem::temp_directory_path() / "plumb-sftp-XXXXXX";
  EXPECT_NE(mkdtemp(path.data()), nullptr);
  path_ = std::filesystem::canonical(path);
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

void write_file(const std::string& path, std::string_view content) { std::ofstream(path, std::ios::binary) << content; }

std::string read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  EXPECT_TRUE(file.is_open()) << path;
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace plumb::sftp::testing
