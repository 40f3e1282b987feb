// RFC 4251 §5 data types: the one place that reads and writes them.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "core/bytes.h"
#include "core/name_list.h"

namespace plumb {

/// Reads fields in order. A field that does not fit makes the reader fail for good: later reads give zeros and empty
/// views, so that a parser reads straight on and asks `ok()` once. Views live as long as the source.
class Reader {
 public:
  explicit Reader(Bytes source) : rest_(source) {}

  uint8_t u8();
  bool boolean() { return u8() != 0; }  ///< any non-zero byte is true
  uint32_t u32();
  uint64_t u64();
  Bytes raw(size_t size);  ///< exactly `size` bytes
  Bytes string();          ///< uint32 length, then that many bytes
  std::string_view text() { return as_text(string()); }
  NameList name_list();  ///< fails on an empty name, a comma too many, or bytes outside printable ASCII

  /// The magnitude of a non-negative mpint without its leading zero byte: big-endian, no leading zeros, empty for 0.
  /// Fails on a negative number and on a needless leading zero.
  Bytes mpint();

  Bytes rest() { return raw(rest_.size()); }
  size_t remaining() const { return rest_.size(); }
  bool ok() const { return ok_; }

  /// Whether all was read and nothing is left over.
  bool done() const { return ok_ && rest_.empty(); }

  void set_failed() {
    ok_ = false;
    rest_ = {};
  }

 private:
  Bytes rest_;
  bool ok_ = true;
};

/// Appends fields to a byte vector that the caller owns.
class Writer {
 public:
  explicit Writer(std::vector<uint8_t>& out) : out_(out) {}

  void u8(uint8_t v) { out_.push_back(v); }
  void boolean(bool v) { out_.push_back(v ? 1 : 0); }
  void u32(uint32_t v);
  void u64(uint64_t v);
  void raw(Bytes bytes) { out_.insert(out_.end(), bytes.begin(), bytes.end()); }
  void string(Bytes bytes);
  void text(std::string_view text) { string(as_bytes(text)); }
  void name_list(const NameList& names);

  /// A non-negative integer given as big-endian bytes with any number of leading zeros.
  void mpint(Bytes magnitude);

 private:
  std::vector<uint8_t>& out_;
};

}  // namespace plumb
