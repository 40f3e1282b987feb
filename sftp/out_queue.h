// What an engine sends. Small messages wait here until the driver has space; a payload is read from its file straight
// into that space, where the channel will seal it, and only what does not fit there waits as well.
#pragma once

#include <cstdint>
#include <vector>

#include "core/buffer.h"
#include "core/bytes.h"
#include "sftp/visitors.h"

namespace plumb::sftp {

class OutQueue {
 public:
  /// Holds at most `limit` bytes.
  explicit OutQueue(size_t limit) : buffer_(limit) {}

  /// Queues a whole packet. False, and nothing is queued, if it does not fit.
  template <class M>
  [[nodiscard]] bool put(const M& message) {
    scratch_.clear();
    append_packet(message, scratch_);
    return put_bytes(scratch_);
  }

  [[nodiscard]] bool put_bytes(Bytes packet);

  /// Moves the oldest bytes to the front of `space`; how many.
  size_t take(MutBytes space);

  bool empty() const { return buffer_.empty(); }
  size_t size() const { return buffer_.size(); }

 private:
  friend class PayloadPacket;

  Buffer buffer_;
  std::vector<uint8_t> scratch_;
};

/// One DATA or WRITE while its payload is being read:
///
///   PayloadPacket<Data> packet(queue, space, {.id = 7}, want);
///   size_t n = read(packet.first()); …if that was all of it… n += read(packet.second());
///   used = packet.commit(n);
///
/// The queue must be empty, or the message would overtake others: then `first` lies in `space`, behind the message's
/// fields, and `second` in the queue. A `space` that is hardly larger than the fields is left alone, and all goes to
/// the queue. Nothing is sent without `commit`.
class PayloadPacket {
 public:
  template <class M>
  PayloadPacket(OutQueue& queue, MutBytes space, const M& message, size_t want) : queue_(queue) {
    queue_.scratch_.clear();
    append_packet(message, queue_.scratch_);
    begin(space, want);
  }

  /// Where the payload goes, `want` bytes in all.
  MutBytes first() const { return first_; }
  MutBytes second() const { return second_; }

  /// The payload is `n` bytes long, and all of `first` was filled before `second`. Returns how many bytes of the space
  /// are used now; what the queue got goes out with its `take`.
  size_t commit(size_t n);

 private:
  void begin(MutBytes space, size_t want);

  OutQueue& queue_;
  MutBytes head_;  // where the fields go, length fields still to be filled in
  MutBytes first_, second_;
  bool in_space_ = false;
};

}  // namespace plumb::sftp
