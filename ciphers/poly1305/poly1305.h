// Poly1305 (RFC 8439 §2.5): a one-time authenticator. Each key serves one message.
#pragma once

#include "ciphers/kernels.h"
#include "ciphers/poly1305/poly1305_kernel.h"
#include "core/bytes.h"

namespace plumb {

/// Writes the 16-byte tag of `message` under the 32-byte one-time `key` (r, then s).
void poly1305(const KernelSet& kernels, Bytes key, Bytes message, MutBytes tag) noexcept;

}  // namespace plumb
