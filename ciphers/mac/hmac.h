// HMAC (RFC 2104) over SHA-1, SHA-256 and SHA-512, by libcrypto.
#pragma once

#include <memory>

#include "ciphers/mac/hash.h"
#include "core/bytes.h"

namespace plumb {

/// One key, many messages. The key's inner and outer states are worked out once.
class Hmac {
 public:
  Hmac(HashId id, Bytes key);
  Hmac(Hmac&&) noexcept;
  Hmac& operator=(Hmac&&) noexcept;
  ~Hmac();

  /// Writes the MAC of `head` followed by `body`; `mac` is exactly `hash_size(id)` bytes. SSH's `head` is the packet's
  /// sequence number (RFC 4253 §6.4).
  void compute(Bytes head, Bytes body, MutBytes mac) noexcept;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace plumb
