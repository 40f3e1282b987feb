#include "core/message.h"

#include <algorithm>

#include "core/encoding.h"

namespace plumb {

void MessagePrinter::text(const char* name, std::string_view v) {
  const bool printable = std::all_of(v.begin(), v.end(), [](char c) { return c >= ' ' && c < '\x7f'; });
  if (printable) return put(name, v);
  binary(name, as_bytes(v));
}

void MessagePrinter::binary(const char* name, Bytes v) {
  constexpr size_t kShown = 32;
  std::string value = "0x" + to_hex(v.first(std::min(v.size(), kShown)));
  if (v.size() > kShown) value += "…(" + std::to_string(v.size()) + " bytes)";
  put(name, value);
}

void MessagePrinter::put(const char* name, std::string_view value) {
  text_ += ' ';
  text_ += name;
  text_ += '=';
  text_ += value;
}

uint8_t MessageGenerator::take_byte() {
  if (source_.empty()) return 0;
  const uint8_t b = source_[0];
  source_ = source_.subspan(1);
  return b;
}

uint64_t MessageGenerator::take_number() {
  // The first byte picks the width, so that small numbers are as likely as huge ones.
  uint64_t v = 0;
  for (int width = take_byte() % 9; width > 0; width--) v = v << 8 | take_byte();
  return v;
}

Bytes MessageGenerator::take_string() {
  const uint64_t wanted = take_number() % 4096;  // first, since it shortens the source
  const size_t size = std::min<size_t>(wanted, source_.size());
  const Bytes taken = source_.first(size);
  source_ = source_.subspan(size);
  return taken;
}

void MessageGenerator::mpint(const char*, Bytes& v) {
  v = take_string();
  while (!v.empty() && v[0] == 0) v = v.subspan(1);
}

void MessageGenerator::names(const char*, NameList& v) {
  v.clear();
  for (int count = take_byte() % 8; count > 0; count--) {
    std::string name;
    for (uint8_t b : take_string()) name += static_cast<char>('a' + b % 26);
    if (!name.empty()) v.push_back(std::move(name));
  }
}

void MessageGenerator::raw(const char*, Bytes& v, size_t size) {
  static constexpr std::array<uint8_t, 64> kZeros{};
  if (source_.size() < size) {
    v = Bytes(kZeros).first(std::min(size, kZeros.size()));
    return;
  }
  v = source_.first(size);
  source_ = source_.subspan(size);
}

}  // namespace plumb
