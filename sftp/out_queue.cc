#include "sftp/out_queue.h"

#include <algorithm>
#include <cstring>

#include "core/check.h"

namespace plumb::sftp {
namespace {

/// A payload shorter than this is not worth a message that could be longer in the next space.
constexpr size_t kWorthwhile = 512;

}  // namespace

bool OutQueue::put_bytes(Bytes bytes) {
  const MutBytes space = buffer_.space(bytes.size());
  if (space.empty()) return false;
  std::memcpy(space.data(), bytes.data(), bytes.size());
  buffer_.commit(bytes.size());
  return true;
}

size_t OutQueue::take(MutBytes space) {
  const size_t n = std::min(space.size(), buffer_.size());
  if (n != 0) std::memcpy(space.data(), buffer_.data().data(), n);
  buffer_.consume(n);
  return n;
}

void PayloadPacket::begin(MutBytes space, size_t want) {
  PLUMB_CHECK(queue_.empty());
  const size_t head = queue_.scratch_.size();
  in_space_ = space.size() >= head + std::min(want, kWorthwhile);
  if (in_space_) {
    head_ = space.first(head);
    first_ = space.subspan(head, std::min(want, space.size() - head));
    if (first_.size() < want) second_ = queue_.buffer_.space(want - first_.size()).first(want - first_.size());
    return;
  }
  const MutBytes room = queue_.buffer_.space(head + want);
  PLUMB_CHECK(room.size() >= head + want);
  head_ = room.first(head);
  second_ = room.subspan(head, want);
}

size_t PayloadPacket::commit(size_t n) {
  PLUMB_CHECK(n <= first_.size() + second_.size());
  std::memcpy(head_.data(), queue_.scratch_.data(), head_.size());
  store_be32(head_.data(), static_cast<uint32_t>(head_.size() - 4 + n));
  store_be32(head_.data() + head_.size() - 4, static_cast<uint32_t>(n));
  if (!in_space_) {
    queue_.buffer_.commit(head_.size() + n);
    return 0;
  }
  const size_t in_first = std::min(n, first_.size());
  queue_.buffer_.commit(n - in_first);
  return head_.size() + in_first;
}

}  // namespace plumb::sftp
