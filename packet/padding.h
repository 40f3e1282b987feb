// How much padding a packet gets (RFC 4253 §6): at least 4 bytes, and the padded part a multiple of the block size.
#pragma once

#include <cstddef>

#include "packet/packet_cipher.h"

namespace plumb {

inline constexpr size_t kMinPadding = 4;

/// The bytes of a packet that must fill whole blocks: all of it, but for a length field that stands outside.
inline size_t padded_part(const Framing& framing, size_t packet_length) {
  return packet_length + (framing.length_is_aad ? 0 : kLengthField);
}

/// padding_length for a payload. AEAD and encrypt-then-MAC leave the length field outside the padded part; getting that
/// wrong is what makes an OpenSSH peer say "padding error: need 28 block 8 mod 4".
inline size_t padding_length(const Framing& framing, size_t payload) {
  const size_t counted = padded_part(framing, 1 + payload);
  size_t padding = framing.block - counted % framing.block;
  if (padding < kMinPadding) padding += framing.block;
  return padding;
}

/// The largest `padding_length` gives for any payload.
inline size_t max_padding_length(const Framing& framing) { return framing.block + kMinPadding - 1; }

}  // namespace plumb
