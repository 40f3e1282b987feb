#include "core/buffer.h"

#include <algorithm>
#include <cstring>

#include "core/check.h"

namespace plumb {

MutBytes Buffer::space(size_t want, size_t keep) {
  PLUMB_CHECK(keep <= want && keep <= capacity_ - tail_);
  if (want > limit_ || size() > limit_ - want) return {};
  if (capacity_ - tail_ >= want) return {block_.get() + tail_, capacity_ - tail_};
  const size_t used = size();
  // Moving at most half a block per refill keeps the total work linear; otherwise grow.
  if (capacity_ - used >= want && used <= capacity_ / 2) {
    std::memmove(block_.get(), block_.get() + head_, used + keep);
  } else {
    const size_t grown = std::min(std::max({used + want, capacity_ * 2, size_t{4096}}), std::max(limit_, used + want));
    std::unique_ptr<uint8_t[]> block(new uint8_t[grown]);
    if (used + keep != 0) std::memcpy(block.get(), block_.get() + head_, used + keep);
    block_ = std::move(block);
    capacity_ = grown;
  }
  head_ = 0;
  tail_ = used;
  return {block_.get() + tail_, capacity_ - tail_};
}

void Buffer::commit(size_t n) {
  PLUMB_CHECK(n <= capacity_ - tail_);
  tail_ += n;
}

void Buffer::consume(size_t n) {
  PLUMB_CHECK(n <= size());
  head_ += n;
  if (head_ == tail_) head_ = tail_ = 0;
}

void Buffer::drop_back(size_t n) {
  PLUMB_CHECK(n <= size());
  tail_ -= n;
}

void Buffer::shrink() {
  if (!empty()) return;
  block_.reset();
  capacity_ = head_ = tail_ = 0;
}

}  // namespace plumb
