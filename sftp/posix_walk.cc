#include "sftp/posix_walk.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <optional>
#include <vector>

#include "sftp/files.h"

namespace plumb::sftp {
namespace {

constexpr int kMaxLinks = 40;      // Linux's own limit (path_resolution(7))
constexpr size_t kMaxPath = 4096;  // PATH_MAX

/// The text of the link `name`; nullopt if it is none.
Result<std::optional<std::string>> link_text(int folder, const std::string& name) {
  char text[kMaxPath];
  const ssize_t size = readlinkat(folder, name.c_str(), text, sizeof text);
  if (size >= 0) return std::string(text, static_cast<size_t>(size));
  if (errno == EINVAL || errno == ENOENT) return std::optional<std::string>();
  return os_error(errno, "a link cannot be read");
}

class Walk {
 public:
  explicit Walk(int top) : top_(top) {}

  Result<Place> run(std::string todo, bool follow) {
    todo_ = std::move(todo);
    while (true) {
      if (todo_.size() > kMaxPath) return os_error(ENAMETOOLONG, "a path is too long");
      const std::optional<std::string> name = next_name();
      if (!name) return finish(".");
      const bool last = todo_.find_first_not_of('/') == std::string::npos;
      if (*name == "..") {
        if (!open_.empty()) open_.pop_back();
        continue;
      }
      if (!last || follow) {
        Result<std::optional<std::string>> link = link_text(folder(), *name);
        if (!link) return tl::unexpected(link.error());
        if (*link) {
          if (const Result<void> begun = begin_link(**link); !begun) return tl::unexpected(begun.error());
          continue;
        }
      }
      if (last) return finish(*name);
      if (const Result<void> entered = enter(*name); !entered) return tl::unexpected(entered.error());
    }
  }

 private:
  struct Level {
    Fd fd;
    std::string name;
  };

  int folder() const { return open_.empty() ? top_ : open_.back().fd.get(); }

  // The next name of what is to be walked; `.` is none.
  std::optional<std::string> next_name() {
    while (true) {
      const size_t begin = todo_.find_first_not_of('/');
      if (begin == std::string::npos) return std::nullopt;
      const size_t end = std::min(todo_.find('/', begin), todo_.size());
      std::string name = todo_.substr(begin, end - begin);
      todo_.erase(0, end);
      if (name != ".") return name;
    }
  }

  Result<void> begin_link(const std::string& text) {
    if (++links_ > kMaxLinks) return os_error(ELOOP, "too many links");
    if (text.empty()) return os_error(ENOENT, "a link leads nowhere");
    if (text[0] == '/') open_.clear();
    todo_ = text + "/" + todo_;
    while (!todo_.empty() && todo_.back() == '/') todo_.pop_back();
    return {};
  }

  Result<void> enter(const std::string& name) {
    Fd fd(openat(folder(), name.c_str(), O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    if (!fd) return os_error(errno, "a folder cannot be entered");
    open_.push_back({std::move(fd), name});
    return {};
  }

  Result<Place> finish(const std::string& name) {
    Place place;
    for (const Level& level : open_) place.path += "/" + level.name;
    if (name != "." || open_.empty()) place.path += name == "." ? "/" : "/" + name;
    place.name = name;
    place.folder = Fd(open_.empty() ? fcntl(top_, F_DUPFD_CLOEXEC, 0) : open_.back().fd.release());
    if (!place.folder) return os_error(errno, "a folder cannot be kept open");
    return place;
  }

  int top_;
  std::vector<Level> open_;  // folders below the top, outermost first
  std::string todo_;
  int links_ = 0;
};

}  // namespace

Fd::~Fd() {
  if (fd_ >= 0) ::close(fd_);
}

Result<Fd> open_folder(const std::string& path) {
  Fd fd(::open(path.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (!fd) return os_error(errno, "the folder to be served cannot be opened");
  return fd;
}

Result<Place> walk(int top, std::string_view home, std::string_view path, bool follow) {
  if (path.size() > kMaxPath) return os_error(ENAMETOOLONG, "a path is too long");
  std::string all(path);
  if (path.empty() || path[0] != '/') all = std::string(home) + "/" + all;
  while (!all.empty() && all.back() == '/') all.pop_back();
  return Walk(top).run(std::move(all), follow);
}

}  // namespace plumb::sftp
