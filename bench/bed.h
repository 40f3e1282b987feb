// One setting of ssh_bench: a server, the path to it, and the files that clients copy.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <tl/expected.hpp>
#include <vector>

#include "bench/link_thread.h"
#include "bench/remote_folder.h"
#include "bench/ssh_target.h"
#include "bench/transfer_cases.h"

namespace plumb {

/// Of a path through a link of ours.
struct PathWish {
  double round_trip = 0;  ///< seconds that the link adds
  uint64_t rate = 0;      ///< bytes per second; 0: as fast as it goes
};

class Bed {
 public:
  /// Empty files and files of `sizes` MiB are made here and there; those there by our own client. `path` needs a target
  /// on loopback. The error is a sentence.
  static tl::expected<std::unique_ptr<Bed>, std::string> make(SshTarget target, const std::optional<PathWish>& path,
                                                              const std::vector<uint64_t>& sizes);
  /// Removes the files here and there.
  ~Bed();
  Bed(const Bed&) = delete;
  Bed& operator=(const Bed&) = delete;

  const SshTarget& target() const { return target_; }
  TransferPlace& place() { return place_; }
  const TransferPlace& place() const { return place_; }
  const std::optional<PathWish>& path() const { return path_; }

 private:
  Bed(SshTarget target, const std::optional<PathWish>& path) : target_(std::move(target)), path_(path) {}
  tl::expected<void, std::string> prepare(const std::vector<uint64_t>& sizes);

  SshTarget target_;
  std::optional<PathWish> path_;
  std::unique_ptr<LinkThread> link_;
  TransferPlace place_;
  std::unique_ptr<RemoteFolder> remote_;
  std::filesystem::path scratch_;  // on disk, where `place_.folder` is in memory
};

}  // namespace plumb
