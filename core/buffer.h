// A bounded byte queue in one contiguous block: the input and the output of a connection.
//
//   MutBytes room = buffer.space(want);  …write…  buffer.commit(n);        // producer
//   MutBytes data = buffer.data();       …read, decrypt in place…  buffer.consume(n);   // consumer
#pragma once

#include <cstddef>
#include <memory>

#include "core/bytes.h"

namespace plumb {

class Buffer {
 public:
  /// Holds at most `limit` bytes. Memory is taken as it is needed and given back by `shrink`.
  explicit Buffer(size_t limit) : limit_(limit) {}

  /// Contiguous free space of at least `want` bytes behind the data, moving or growing the block if needed.
  /// Empty if `size() + want` would pass the limit. Invalidates views of `data()`.
  ///
  /// `keep`: so many bytes of that space, at most `want`, were written before and stay what they are.
  MutBytes space(size_t want, size_t keep = 0);

  /// The first `n` bytes of the last `space` are data now.
  void commit(size_t n);

  /// All data, oldest first. Valid until the next `space` or `shrink`.
  MutBytes data() { return {block_.get() + head_, tail_ - head_}; }
  Bytes data() const { return {block_.get() + head_, tail_ - head_}; }

  /// Drops the oldest `n` bytes; views of later bytes stay valid.
  void consume(size_t n);

  /// Gives up the newest `n` bytes.
  void drop_back(size_t n);

  size_t size() const { return tail_ - head_; }
  bool empty() const { return head_ == tail_; }
  size_t limit() const { return limit_; }
  size_t capacity() const { return capacity_; }

  /// Gives the memory back if the buffer is empty.
  void shrink();

 private:
  std::unique_ptr<uint8_t[]> block_;
  size_t capacity_ = 0;
  size_t head_ = 0;
  size_t tail_ = 0;
  size_t limit_;
};

}  // namespace plumb
