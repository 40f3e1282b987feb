#include "tools/file_text.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <system_error>
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

/// A file under another name, so that nobody ever sees half of it: it gets its own once it is whole.
class Draft {
 public:
  explicit Draft(const std::string& path)
      : name_(path + "." + std::to_string(getpid())), file_(name_, O_WRONLY | O_CREAT | O_EXCL) {}
  ~Draft() {
    if (made()) unlink(name_.c_str());
  }
  Draft(const Draft&) = delete;
  Draft& operator=(const Draft&) = delete;

  bool made() const { return file_.fd() >= 0; }
  const char* name() const { return name_.c_str(); }
  bool write(const std::string& text) const {
    return ::write(file_.fd(), text.data(), text.size()) == static_cast<ssize_t>(text.size()) && fsync(file_.fd()) == 0;
  }

 private:
  std::string name_;
  OpenFile file_;
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
  const Draft draft(path);
  if (!draft.made()) return fail(ErrorCode::kSystem, "the file cannot be made", errno);
  if (draft.write(text) && link(draft.name(), path.c_str()) == 0) return {};
  return fail(ErrorCode::kSystem, "the file cannot be written", errno);
}

Result<void> replace_file(const std::string& path, const std::string& text) {
  std::error_code error;
  const std::string target = std::filesystem::canonical(path, error);
  struct stat status {};
  if (error) return fail(ErrorCode::kSystem, "the file cannot be found", error.value());
  if (stat(target.c_str(), &status) != 0) return fail(ErrorCode::kSystem, "the file cannot be read", errno);
  const Draft draft(target);
  if (!draft.made()) return fail(ErrorCode::kSystem, "the file beside it cannot be made", errno);
  const std::string old = target + ".old";
  const bool replaced = draft.write(text) && chmod(draft.name(), status.st_mode & 07777) == 0 &&
                        (unlink(old.c_str()) == 0 || errno == ENOENT) && link(target.c_str(), old.c_str()) == 0 &&
                        rename(draft.name(), target.c_str()) == 0;
  if (!replaced) return fail(ErrorCode::kSystem, "the file cannot be written", errno);
  return {};
}

}  // namespace plumb
