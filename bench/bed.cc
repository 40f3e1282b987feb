#include "bench/bed.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>

#include "interop/scratch_folder.h"
#include "interop/subprocess.h"

namespace plumb {
namespace {

template <class T>
using Expected = tl::expected<T, std::string>;

namespace fs = std::filesystem;

/// A sparse file: it reads as zeros and takes no room.
Expected<void> make_zeros(const fs::path& path, uint64_t mib) {
  if (const auto written = write_private_file(path, ""); !written) return tl::unexpected(written.error());
  std::error_code error;
  fs::resize_file(path, mib << 20, error);
  if (error) return tl::unexpected(path.string() + ": " + error.message());
  return {};
}

/// ssh asks a program for a password where there is no terminal.
Expected<void> make_askpass(const fs::path& path) {
  const auto written = write_private_file(path, "#!/bin/sh\nprintf '%s\\n' \"$PLUMB_BENCH_PASSWORD\"\n");
  if (!written) return tl::unexpected(written.error());
  std::error_code error;
  fs::permissions(path, fs::perms::owner_all, error);
  setenv("SSH_ASKPASS", path.c_str(), 1);
  setenv("SSH_ASKPASS_REQUIRE", "force", 1);
  return {};
}

/// Where this program lies, and those of the clients with it.
fs::path own_folder() {
  std::error_code ignored;
  return fs::read_symlink("/proc/self/exe", ignored).parent_path();
}

/// In memory where there is room, so that a disk is not what is measured. Several copies of the file lie there.
bool fits_in_memory(uint64_t mib) {
  std::error_code error;
  const fs::space_info space = fs::space("/dev/shm", error);
  return !error && access("/dev/shm", W_OK) == 0 && space.available / 4 > (mib << 20);
}

/// `scratch` where memory cannot hold it.
fs::path make_folder(uint64_t mib, const fs::path& scratch) {
  if (!fits_in_memory(mib)) return scratch;
  return scratch_folder_in("/dev/shm").value_or(scratch);
}

}  // namespace

Expected<std::unique_ptr<Bed>> Bed::make(SshTarget target, const std::optional<PathWish>& path,
                                         const std::vector<uint64_t>& sizes) {
  std::unique_ptr<Bed> bed(new Bed(std::move(target), path));
  if (const auto ready = bed->prepare(sizes); !ready) return tl::unexpected(ready.error());
  return bed;
}

Expected<void> Bed::prepare(const std::vector<uint64_t>& sizes) {
  const auto scratch = make_scratch_folder("ssh_bench");
  if (!scratch) return tl::unexpected(scratch.error());
  scratch_ = *scratch;
  place_.folder = make_folder(std::ranges::max(sizes), scratch_);
  place_.programs = own_folder();
  place_.host = target_.host();
  place_.user = target_.user();
  place_.port = target_.port();
  place_.key = target_.key();
  place_.password = target_.password();
  if (path_) {
    LinkShape shape;
    shape.delay = std::chrono::duration_cast<Duration>(std::chrono::duration<double>(path_->round_trip / 2));
    shape.rate = path_->rate;
    auto link = LinkThread::start(target_.host(), target_.port(), shape);
    if (!link) return tl::unexpected(link.error());
    link_ = *std::move(link);
    place_.port = link_->port();
  }
  const auto known = target_.known_hosts(place_.port, scratch_);
  if (!known) return tl::unexpected(known.error());
  place_.known_hosts = *known;
  if (place_.password) {
    if (const auto made = make_askpass(scratch_ / "askpass"); !made) return made;
  }
  std::string command = "cd \"$(mktemp -d -p /dev/shm ssh_bench-XXXXXX 2>/dev/null || mktemp -d)\" && : > zeros-0";
  if (const auto made = make_zeros(local_source(place_, 0), 0); !made) return made;
  for (const uint64_t size : sizes) {
    if (const auto made = make_zeros(local_source(place_, size), size); !made) return made;
    command += fmt::format(" && truncate -s {0}M zeros-{0}", size);
  }
  const auto remote = run_there(command + " && pwd");
  if (!remote) return tl::unexpected(remote.error());
  place_.remote = *remote;
  return {};
}

Bed::~Bed() {
  if (place_.remote.starts_with('/')) run_there("rm -rf -- '" + place_.remote + "'");
  std::error_code ignored;
  if (!place_.folder.empty()) fs::remove_all(place_.folder, ignored);
  if (!scratch_.empty()) fs::remove_all(scratch_, ignored);
}

/// The command's output, without the end of its last line.
Expected<std::string> Bed::run_there(const std::string& command) const {
  const auto* ours = transfer_clients().data();
  const Workload task{"prepare", ClientJob::Task::kExec, [](uint64_t) { return std::string(); }, false, false, nullptr};
  TransferPlace place = place_;
  place.slow.clear();
  auto argv = ours->command(place, std::string(kDefaults), task, 0, false);
  if (!argv) return tl::unexpected(argv.error());
  argv->back() = command;
  ProgramRequest request;
  request.argv = *std::move(argv);
  ProgramResult done = run_program(request);
  while (!done.output.empty() && done.output.back() == '\n') done.output.pop_back();
  while (!done.error.empty() && done.error.back() == '\n') done.error.pop_back();
  if (done.started && done.exit_code == 0) return done.output;
  return tl::unexpected(done.error.empty() ? place_.host + " does not run a command for us" : done.error);
}

}  // namespace plumb
