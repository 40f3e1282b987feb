#include "tools/file_text.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <vector>

namespace plumb {
namespace {

constexpr size_t kLargestFile = 16 * 1024 * 1024;

class OpenFile {
 public:
  OpenFile(const std::string& path, int flags) : fd_(open(path.c_str(), flags | O_CLOEXEC, 0600)) {}
  ~OpenFile() {
    if (fd_ >= 0) close(fd_);
  }
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;
  int fd() const { return fd_; }

 private:
  int fd_;
};

}  // namespace

Result<SecretBytes> read_file(const std::string& path) {
  const OpenFile file(path, O_RDONLY);
  if (file.fd() < 0) return fail(ErrorCode::kSystem, "the file cannot be opened", errno);
  SecretBytes buffer(64 * 1024);
  size_t size = 0;
  for (;;) {
    if (size == buffer.size()) {
      if (size >= kLargestFile) return fail(ErrorCode::kLimit, "the file is larger than 16 MiB");
      SecretBytes larger(2 * size);
      std::copy(buffer.bytes().begin(), buffer.bytes().end(), larger.bytes().begin());
      buffer = std::move(larger);
    }
    const ssize_t n = read(file.fd(), buffer.bytes().data() + size, buffer.size() - size);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return fail(ErrorCode::kSystem, "the file cannot be read", errno);
    if (n == 0) return SecretBytes(buffer.bytes().first(size));
    size += static_cast<size_t>(n);
  }
}

Result<void> append_line(const std::string& path, const std::string& line) {
  const OpenFile file(path, O_RDWR | O_APPEND | O_CREAT);
  if (file.fd() < 0) return fail(ErrorCode::kSystem, "the file cannot be opened", errno);
  char last = '\n';
  const off_t end = lseek(file.fd(), 0, SEEK_END);
  if (end > 0 && pread(file.fd(), &last, 1, end - 1) != 1) last = '\n';
  const std::string text = last == '\n' ? line : "\n" + line;
  if (write(file.fd(), text.data(), text.size()) == static_cast<ssize_t>(text.size())) return {};
  return fail(ErrorCode::kSystem, "the file cannot be written", errno);
}

Result<void> write_new_file(const std::string& path, const std::string& text) {
  // Nobody ever sees half a file: it gets its name once it is whole.
  const std::string draft = path + "." + std::to_string(getpid());
  const OpenFile file(draft, O_WRONLY | O_CREAT | O_EXCL);
  if (file.fd() < 0) return fail(ErrorCode::kSystem, "the file cannot be made", errno);
  const bool written = write(file.fd(), text.data(), text.size()) == static_cast<ssize_t>(text.size()) &&
                       fsync(file.fd()) == 0 && link(draft.c_str(), path.c_str()) == 0;
  const int os_error = errno;
  unlink(draft.c_str());
  if (!written) return fail(ErrorCode::kSystem, "the file cannot be written", os_error);
  return {};
}

}  // namespace plumb
