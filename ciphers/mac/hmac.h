// HMAC (RFC 2104) over SHA-1 and SHA-2, of one message or of several in step.
#pragma once

#include <memory>
#include <span>

#include "ciphers/kernels.h"
#include "ciphers/mac/hash.h"
#include "core/bytes.h"

namespace plumb {

template <class Word>
struct HmacStates;

/// One message of `Hmac::compute_many`: `head` followed by `body`. SSH's `head` is the packet's sequence number (RFC
/// 4253 §6.4). `mac` is exactly `hash_size(id)` bytes and overlaps no message.
struct MacJob {
  Bytes head;  ///< at most 64 bytes
  Bytes body;
  MutBytes mac;
};

/// One key, many messages. The key's inner and outer states are worked out once.
class Hmac {
 public:
  Hmac(HashId id, Bytes key, const KernelSet& kernels);
  Hmac(Hmac&&) noexcept;
  Hmac& operator=(Hmac&&) noexcept;
  ~Hmac();

  /// Writes the MAC of `head` followed by `body`.
  void compute(Bytes head, Bytes body, MutBytes mac) const noexcept;

  /// The same for each job. Messages advance together where the CPU gains from it: three under SHA-256, eight under
  /// SHA-512; equal lengths gain most.
  void compute_many(std::span<const MacJob> jobs) const noexcept;

  /// The most messages that advance together; 1 if the CPU gains nothing.
  size_t in_step() const noexcept;

  /// The key's states if the hash is SHA-256, else nullptr: for a kernel that hashes while it does other work
  /// (ciphers/etm). Lives as long as this object.
  const HmacStates<uint32_t>* sha256_states() const noexcept;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace plumb
