// How many system calls a program makes: by perf where the kernel counts them for us, which costs the program next to
// nothing, else by strace, which slows it down.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <vector>

namespace plumb {

struct CallCounts {
  uint64_t all = 0;
  uint64_t sends = 0;  ///< send, sendto, sendmsg: of those who use them, every write to a socket
};

class CallCounter {
 public:
  /// Finds out what there is. `folder` is for its files.
  explicit CallCounter(std::filesystem::path folder);

  /// "perf", "strace"; empty if calls cannot be counted here.
  std::string_view means() const { return means_; }

  /// `argv` as it is to be run so that its calls are counted: as it is where they cannot be.
  std::vector<std::string> wrap(std::vector<std::string> argv) const;

  /// What the run of the last `wrap` did. The error says why it is not known.
  tl::expected<CallCounts, std::string> counted() const;

 private:
  std::string_view means_;
  std::filesystem::path file_;
};

}  // namespace plumb
