// How channels send: two methods, defined here and implemented by whoever owns packets (session/transport).
#pragma once

#include <cstdint>
#include <cstring>

#include "core/bytes.h"
#include "core/message.h"

namespace plumb {

/// What may happen to a payload when it cannot leave at once (RFC 4253 §7.1: a key exchange runs).
enum class SendClass : uint8_t {
  kData,     ///< refused while a key exchange runs or output is above its mark; asked again later
  kControl,  ///< always taken: waits in order for the end of a key exchange, in a bounded queue
};

class PacketOut {
 public:
  virtual ~PacketOut() = default;

  /// `max_payload` bytes for one payload, where it will be sealed. Empty only for kData, if it is refused. The space
  /// must be committed, or given up, before anything else is sent.
  virtual MutBytes begin(SendClass kind, size_t max_payload) = 0;

  /// Sends the first `payload` bytes of the space (at least 1).
  virtual void commit(size_t payload) = 0;
};

/// Sends one message that must not be refused.
template <class M>
void send_message(PacketOut& out, const M& message) {
  const std::vector<uint8_t> payload = to_payload(message);
  const MutBytes space = out.begin(SendClass::kControl, payload.size());
  std::memcpy(space.data(), payload.data(), payload.size());
  out.commit(payload.size());
}

}  // namespace plumb
