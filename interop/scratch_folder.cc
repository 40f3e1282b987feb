#include "interop/scratch_folder.h"

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <fstream>
#include <iterator>
#include <system_error>

namespace plumb {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kPrefix = "plumb-";

/// The owner named by a folder's name; 0 if it is none of ours.
pid_t owner_of(std::string_view name) {
  if (!name.starts_with(kPrefix)) return 0;
  name.remove_prefix(kPrefix.size());
  pid_t pid = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), pid);
  const bool complete = error == std::errc{} && end != name.data() + name.size() && *end == '-';
  return complete ? pid : 0;
}

void remove_stale_folders(const fs::path& parent) {
  std::error_code ignored;
  for (const fs::directory_entry& entry : fs::directory_iterator(parent, ignored)) {
    const pid_t owner = owner_of(entry.path().filename().string());
    if (owner > 0 && kill(owner, 0) != 0 && errno == ESRCH) fs::remove_all(entry.path(), ignored);
  }
}

/// Starts the shell that removes `folder` once this process is gone. A session of its own: the terminal's Ctrl-C ends
/// us, not the guardian. Standard output goes to /dev/null, so that nobody who reads ours waits for the guardian.
bool start_guardian(const std::string& folder) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return false;
  const char* const argv[] = {"sh", "-c", "cat >/dev/null; rm -rf -- \"$1\"", "sh", folder.c_str(), nullptr};
  const pid_t child = fork();
  if (child == 0) {
    // Twice, so that init reaps the guardian and nobody here has to.
    if (fork() != 0) _exit(0);
    setsid();
    const int null = open("/dev/null", O_WRONLY | O_CLOEXEC);
    dup2(ends[0], 0);
    dup2(null, 1);
    dup2(null, 2);
    execv("/bin/sh", const_cast<char* const*>(argv));
    _exit(127);
  }
  close(ends[0]);
  if (child < 0) return false;
  while (waitpid(child, nullptr, 0) < 0 && errno == EINTR) {
  }
  return true;  // ends[1] stays open until this process ends
}

tl::expected<fs::path, std::string> make_process_folder() {
  std::error_code error;
  const fs::path parent = fs::temp_directory_path(error);
  if (error) return tl::unexpected("no temporary folder: " + error.message() + "; set TMPDIR");
  return scratch_folder_in(parent);
}

}  // namespace

tl::expected<std::filesystem::path, std::string> scratch_folder_in(const std::filesystem::path& parent) {
  remove_stale_folders(parent);
  std::string name = (parent / (std::string(kPrefix) + std::to_string(getpid()) + "-XXXXXX")).string();
  if (mkdtemp(name.data()) == nullptr) {
    return tl::unexpected("cannot make a folder in " + parent.string() + ": " + std::strerror(errno) + "; set TMPDIR");
  }
  if (!start_guardian(name)) {
    std::error_code ignored;
    fs::remove_all(name, ignored);
    return tl::unexpected("cannot start a process: " + std::string(std::strerror(errno)));
  }
  return fs::path(name);
}

tl::expected<std::filesystem::path, std::string> scratch_folder() {
  // A forked child is another process: its folder may not go when its parent ends, nor stay when the child does.
  static pid_t owner = getpid();
  static auto folder = make_process_folder();
  if (owner != getpid()) {
    owner = getpid();
    folder = make_process_folder();
  }
  return folder;
}

tl::expected<std::filesystem::path, std::string> make_scratch_folder(const std::string& name) {
  static std::atomic<unsigned> count{0};
  const auto parent = scratch_folder();
  if (!parent) return parent;
  const fs::path folder = *parent / (name + "-" + std::to_string(++count));
  std::error_code error;
  fs::create_directory(folder, error);
  if (error) return tl::unexpected("cannot make " + folder.string() + ": " + error.message());
  return folder;
}

std::string text_of(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

tl::expected<void, std::string> write_private_file(const fs::path& path, std::string_view text) {
  std::ofstream file(path, std::ios::binary);
  file << text;
  file.close();
  if (file.good() && chmod(path.c_str(), 0600) == 0) return {};
  return tl::unexpected("cannot write " + path.string() + ": " + std::strerror(errno));
}

}  // namespace plumb
