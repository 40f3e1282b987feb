// A folder on the target for the files of a bench. A command that waits there for the end of its input removes it, so
// that it goes away with the bench, however the bench ends.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <tl/expected.hpp>
#include <vector>

#include "bench/pipe.h"
#include "bench/transfer_cases.h"

namespace plumb {

class RemoteFolder {
 public:
  /// Made by our own client, in memory where the target has such a folder, with an empty file and files of `sizes` MiB.
  /// What the client complains of goes to `errors`. The error is a sentence.
  static tl::expected<std::unique_ptr<RemoteFolder>, std::string> make(const TransferPlace& place,
                                                                       const std::vector<uint64_t>& sizes,
                                                                       const std::filesystem::path& errors);
  /// Waits until it is gone, ten seconds at most.
  ~RemoteFolder();
  RemoteFolder(const RemoteFolder&) = delete;
  RemoteFolder& operator=(const RemoteFolder&) = delete;

  /// Absolute.
  const std::string& path() const { return path_; }

 private:
  RemoteFolder() = default;

  Pipe input_;      // its end is the end of the folder
  pid_t pid_ = -1;  // our client
  std::string path_;
};

}  // namespace plumb
