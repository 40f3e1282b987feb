#include "bench/bed.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>

#include "bench/child_process.h"
#include "interop/scratch_folder.h"

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

/// What is copied from `folder`.
Expected<void> make_sources(const fs::path& folder, const std::vector<uint64_t>& sizes) {
  Expected<void> made = make_zeros(source_in(folder, 0), 0);
  for (const uint64_t size : sizes) made = made.and_then([&] { return make_zeros(source_in(folder, size), size); });
  return made;
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
  if (const auto made = make_sources(place_.folder, sizes); !made) return made;
  // A server of ours ends with us, and could not tidy up: what lies on its side is in our own folder.
  if (target_.on_loopback()) {
    place_.remote = place_.folder / "there";
    std::error_code ignored;
    fs::create_directory(place_.remote, ignored);
    return make_sources(place_.remote, sizes);
  }
  auto remote = RemoteFolder::make(place_, sizes, scratch_ / "errors-there");
  if (!remote) return tl::unexpected(remote.error());
  remote_ = *std::move(remote);
  place_.remote = remote_->path();
  return {};
}

Bed::~Bed() {
  remote_.reset();
  std::error_code ignored;
  if (!place_.folder.empty()) fs::remove_all(place_.folder, ignored);
  if (!scratch_.empty()) fs::remove_all(scratch_, ignored);
}

}  // namespace plumb
