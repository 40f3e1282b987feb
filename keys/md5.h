// MD5 (RFC 1321), for fingerprints in their old form. Nothing is trusted to it.
#pragma once

#include <array>
#include <cstdint>

#include "core/bytes.h"

namespace plumb {

std::array<uint8_t, 16> md5(Bytes data);

}  // namespace plumb
