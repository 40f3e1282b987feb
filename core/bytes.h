// Byte ranges: the currency between all rooms.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace plumb {

/// Bytes that the callee reads. Never owns; a function that keeps one says how long it must live.
using Bytes = std::span<const uint8_t>;

/// Bytes that the callee may change in place.
using MutBytes = std::span<uint8_t>;

/// The bytes of `text`, without a terminator. Lives as long as `text`.
inline Bytes as_bytes(std::string_view text) { return {reinterpret_cast<const uint8_t*>(text.data()), text.size()}; }

/// The text of `bytes`, uninterpreted. Lives as long as `bytes`.
inline std::string_view as_text(Bytes bytes) { return {reinterpret_cast<const char*>(bytes.data()), bytes.size()}; }

}  // namespace plumb
