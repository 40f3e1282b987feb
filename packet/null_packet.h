// The cipher "none" that every connection starts with (RFC 4253 §6.3): framing and padding, no secrecy and no MAC.
#pragma once

#include "packet/packet_cipher.h"

namespace plumb {

inline constexpr Framing kNullFraming{.head = kLengthField, .block = 8, .tag = 0, .length_is_aad = false};

class NullSealer final : public Sealer {
 public:
  Framing framing() const noexcept override { return kNullFraming; }
  void seal(uint32_t sequence, MutBytes packet, MutBytes tag) noexcept override;
};

class NullOpener final : public Opener {
 public:
  Framing framing() const noexcept override { return kNullFraming; }
  uint32_t open_length(uint32_t sequence, MutBytes head) noexcept override;
  bool open(uint32_t sequence, MutBytes packet, Bytes tag) noexcept override;
};

}  // namespace plumb
