// Payloads that arise while a key exchange forbids sending them (RFC 4253 §7.1), in order and bounded: a peer that
// never finishes its exchange must not make us grow (golang CVE-2025-22869).
#pragma once

#include <cstddef>
#include <deque>

#include "core/secret.h"

namespace plumb {

class DeferredQueue {
 public:
  /// Holds at most `limit` bytes, each payload counted with its bookkeeping.
  explicit DeferredQueue(size_t limit) : limit_(limit) {}

  struct Item {
    SecretBytes payload;
    bool secret;  ///< holds a password: not for observers
  };

  /// False if there is no room: the item is dropped.
  [[nodiscard]] bool push(Item item) {
    const size_t cost = item.payload.size() + kOverhead;
    if (cost > limit_ - used_) return false;
    used_ += cost;
    items_.push_back(std::move(item));
    return true;
  }

  bool empty() const { return items_.empty(); }

  /// The oldest item; the queue must not be empty.
  Item pop() {
    Item item = std::move(items_.front());
    items_.pop_front();
    used_ -= item.payload.size() + kOverhead;
    return item;
  }

 private:
  static constexpr size_t kOverhead = 64;  // a vector, its block's header, a share of the deque
  std::deque<Item> items_;
  size_t used_ = 0;
  size_t limit_;
};

}  // namespace plumb
