// How much of a file is there without a hole, when its parts come in any order.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>

namespace plumb::sftp {

class ContiguousRanges {
 public:
  /// All up to `start` is there.
  explicit ContiguousRanges(uint64_t start) : contiguous_(start), furthest_(start) {}

  /// The bytes from `begin` up to `end` are there now.
  void add(uint64_t begin, uint64_t end) {
    furthest_ = std::max(furthest_, end);
    if (begin > contiguous_) {
      uint64_t& known = later_[begin];
      known = std::max(known, end);
      return;
    }
    contiguous_ = std::max(contiguous_, end);
    while (!later_.empty() && later_.begin()->first <= contiguous_) {
      contiguous_ = std::max(contiguous_, later_.begin()->second);
      later_.erase(later_.begin());
    }
  }

  uint64_t contiguous() const { return contiguous_; }
  uint64_t furthest() const { return furthest_; }

 private:
  uint64_t contiguous_, furthest_;
  std::map<uint64_t, uint64_t> later_;  // begin to end, behind a hole; about as many as there are requests in flight
};

}  // namespace plumb::sftp
