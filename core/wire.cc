#include "core/wire.h"

#include "core/check.h"
#include "core/endian.h"

namespace plumb {

Bytes Reader::raw(size_t size) {
  if (!ok_ || size > rest_.size()) {
    set_failed();
    return {};
  }
  const Bytes field = rest_.first(size);
  rest_ = rest_.subspan(size);
  return field;
}

uint8_t Reader::u8() {
  const Bytes b = raw(1);
  return ok_ ? b[0] : 0;
}

uint32_t Reader::u32() {
  const Bytes b = raw(4);
  return ok_ ? load_be32(b.data()) : 0;
}

uint64_t Reader::u64() {
  const Bytes b = raw(8);
  return ok_ ? load_be64(b.data()) : 0;
}

Bytes Reader::string() {
  const uint32_t size = u32();
  return ok_ ? raw(size) : Bytes();
}

NameList Reader::name_list() {
  const std::string_view list = text();
  Result<NameList> names = parse_name_list(list);
  if (names) return *std::move(names);
  set_failed();
  return {};
}

Bytes Reader::mpint() {
  const Bytes number = string();
  if (number.empty()) return {};
  const bool negative = (number[0] & 0x80) != 0;
  const bool needless_zero = number[0] == 0 && (number.size() == 1 || (number[1] & 0x80) == 0);
  if (negative || needless_zero) {
    set_failed();
    return {};
  }
  return number[0] == 0 ? number.subspan(1) : number;
}

void Writer::u32(uint32_t v) {
  uint8_t b[4];
  store_be32(b, v);
  raw(b);
}

void Writer::u64(uint64_t v) {
  uint8_t b[8];
  store_be64(b, v);
  raw(b);
}

void Writer::string(Bytes bytes) {
  PLUMB_CHECK(bytes.size() <= UINT32_MAX);
  u32(static_cast<uint32_t>(bytes.size()));
  raw(bytes);
}

void Writer::name_list(const NameList& names) { text(join_name_list(names)); }

void Writer::mpint(Bytes magnitude) {
  while (!magnitude.empty() && magnitude[0] == 0) magnitude = magnitude.subspan(1);
  const bool sign_byte = !magnitude.empty() && (magnitude[0] & 0x80) != 0;
  u32(static_cast<uint32_t>(magnitude.size() + (sign_byte ? 1 : 0)));
  if (sign_byte) u8(0);
  raw(magnitude);
}

}  // namespace plumb
