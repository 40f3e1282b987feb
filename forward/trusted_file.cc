#include "forward/trusted_file.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <memory>

namespace plumb {
namespace {

constexpr size_t kLargestFile = 16 * 1024 * 1024;

struct Closer {
  int fd;
  ~Closer() { close(fd); }
};

bool only_owner_writes(const struct stat& status, uid_t owner) {
  return (status.st_uid == owner || status.st_uid == 0) && (status.st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

/// Where everybody may make files, but only their owners replace them: /tmp.
bool is_shared_safely(const struct stat& status) { return status.st_uid == 0 && (status.st_mode & S_ISVTX) != 0; }

/// The real path, without links; empty if there is none.
std::string real_path(const std::string& path) {
  const std::unique_ptr<char, void (*)(void*)> real(realpath(path.c_str(), nullptr), free);
  return real == nullptr ? std::string() : std::string(real.get());
}

Result<void> check_folders(const std::string& path, uid_t owner, const std::string& home) {
  std::string folder = real_path(path);
  const std::string last = real_path(home);
  while (folder.size() > 1 && folder != last) {
    folder.resize(std::max<size_t>(folder.rfind('/'), 1));
    struct stat status {};
    if (stat(folder.c_str(), &status) != 0) return fail(ErrorCode::kSystem, "a folder cannot be read", errno);
    if (!only_owner_writes(status, owner) && !is_shared_safely(status))
      return fail(ErrorCode::kAuth, "others may write a folder above the file");
  }
  return {};
}

}  // namespace

Result<std::string> read_trusted_file(const std::string& path, uid_t owner, const std::string& home) {
  // A fifo would make us wait.
  const int fd = open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  if (fd < 0) return fail(ErrorCode::kSystem, "the file cannot be opened", errno);
  const Closer closer{fd};
  struct stat status {};
  if (fstat(fd, &status) != 0) return fail(ErrorCode::kSystem, "the file cannot be read", errno);
  if (!S_ISREG(status.st_mode)) return fail(ErrorCode::kAuth, "it is no regular file");
  if (!only_owner_writes(status, owner)) return fail(ErrorCode::kAuth, "others may write the file");
  if (const Result<void> checked = check_folders(path, owner, home); !checked) return tl::unexpected(checked.error());

  std::string text;
  for (;;) {
    const size_t size = text.size();
    if (size > kLargestFile) return fail(ErrorCode::kLimit, "the file is larger than 16 MiB");
    text.resize(size + 64 * 1024);
    ssize_t n;
    do {
      n = read(fd, text.data() + size, text.size() - size);
    } while (n < 0 && errno == EINTR);
    if (n < 0) return fail(ErrorCode::kSystem, "the file cannot be read", errno);
    text.resize(size + static_cast<size_t>(n));
    if (n == 0) return text;
  }
}

}  // namespace plumb
