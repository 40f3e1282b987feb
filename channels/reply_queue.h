// Replies leave in the order of the requests (RFC 4254 §4, §5.4): one that is known early waits for those before it.
#pragma once

#include <cstddef>
#include <deque>
#include <optional>

#include "core/check.h"

namespace plumb {

template <class Reply>
class ReplyQueue {
 public:
  /// Whether another request fits: a peer that asks without end and a driver that never answers must not make us grow.
  bool has_room() const { return replies_.size() < kLimit; }

  /// A request came whose reply is known, or comes by `decide`.
  void push(std::optional<Reply> reply) { replies_.push_back(std::move(reply)); }

  /// The reply to the oldest request that has none. Aborts if every one has.
  void decide(Reply reply) {
    for (std::optional<Reply>& waiting : replies_) {
      if (waiting) continue;
      waiting = std::move(reply);
      return;
    }
    PLUMB_CHECK(!"a request waits for this reply");
  }

  /// The next reply that may leave.
  std::optional<Reply> pop() {
    if (replies_.empty() || !replies_.front()) return std::nullopt;
    std::optional<Reply> reply = std::move(replies_.front());
    replies_.pop_front();
    return reply;
  }

 private:
  static constexpr size_t kLimit = 256;  // env requests are the most numerous: OpenSSH's clients send some tens
  std::deque<std::optional<Reply>> replies_;
};

}  // namespace plumb
