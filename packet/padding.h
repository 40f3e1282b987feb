// How much padding a packet gets (RFC 4253 §6): at least 4 bytes, and the padded part a multiple of the block size.
#pragma once

#include <cstddef>

#include "packet/packet_cipher.h"

namespace plumb {

inline constexpr size_t kMinPadding = 4;
inline constexpr size_t kLengthField = 4;

/// padding_length for a payload. AEAD and encrypt-then-MAC leave the length field outside the padded part; getting that
/// wrong is what makes an OpenSSH peer say "padding error: need 28 block 8 mod 4".
inline size_t padding_length(const Framing& framing, size_t payload) {
  const size_t counted = (framing.length_is_aad ? 0 : kLengthField) + 1 + payload;
  size_t padding = framing.block - counted % framing.block;
  if (padding < kMinPadding) padding += framing.block;
  return padding;
}

}  // namespace plumb
