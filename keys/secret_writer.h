// core/wire.h's Writer for fields that hold secrets: memory that is given up is wiped, when it grows as well.
#pragma once

#include <algorithm>
#include <string_view>

#include "core/endian.h"
#include "core/secret.h"

namespace plumb {

class SecretWriter {
 public:
  void u8(uint8_t v) { raw({&v, 1}); }
  void u32(uint32_t v) {
    uint8_t b[4];
    store_be32(b, v);
    raw(b);
  }
  void raw(Bytes bytes) {
    if (size_ + bytes.size() > buffer_.size()) grow(size_ + bytes.size());
    std::copy(bytes.begin(), bytes.end(), buffer_.bytes().begin() + static_cast<ptrdiff_t>(size_));
    size_ += bytes.size();
  }
  void string(Bytes bytes) {
    u32(static_cast<uint32_t>(bytes.size()));
    raw(bytes);
  }
  void text(std::string_view text) { string(as_bytes(text)); }

  /// A non-negative integer given as big-endian bytes with any number of leading zeros.
  void mpint(Bytes magnitude) {
    while (!magnitude.empty() && magnitude[0] == 0) magnitude = magnitude.subspan(1);
    const bool sign_byte = !magnitude.empty() && (magnitude[0] & 0x80) != 0;
    u32(static_cast<uint32_t>(magnitude.size() + (sign_byte ? 1 : 0)));
    if (sign_byte) u8(0);
    raw(magnitude);
  }

  size_t size() const { return size_; }
  Bytes bytes() const { return buffer_.bytes().first(size_); }
  MutBytes bytes() { return buffer_.bytes().first(size_); }

  /// All that was written, at its exact size.
  SecretBytes take() const { return SecretBytes(bytes()); }

 private:
  void grow(size_t needed) {
    SecretBytes larger(std::max<size_t>(2 * needed, 512));
    std::copy_n(buffer_.bytes().begin(), size_, larger.bytes().begin());
    buffer_ = std::move(larger);
  }

  SecretBytes buffer_;
  size_t size_ = 0;
};

}  // namespace plumb
