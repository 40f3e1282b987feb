#include "core/encoding.h"

#include <algorithm>

#include "core/check.h"
#include "core/ct.h"
#include "core/secret.h"

namespace plumb {
namespace {

/// 0-63, or 0xff for a character outside the alphabet; no table, no branch on the character.
uint8_t base64_value(uint8_t c) {
  const auto in = [c](int low, int high) {
    return static_cast<uint32_t>(((low - 1 - c) & (c - high - 1)) >> 8) & 0xff;
  };
  uint32_t v = 0;
  uint32_t known = 0;
  const auto add = [&](uint32_t mask, int value) {
    v |= mask & static_cast<uint32_t>(value);
    known |= mask;
  };
  add(in('A', 'Z'), c - 'A');
  add(in('a', 'z'), c - 'a' + 26);
  add(in('0', '9'), c - '0' + 52);
  add(in('+', '+'), 62);
  add(in('/', '/'), 63);
  return static_cast<uint8_t>((v & 0x3f) | (~known & 0xff));
}

/// The character of `v`, 0-63: each later range of the alphabet is a shift of the one before.
char base64_digit(uint32_t v) {
  const auto from = [v](int first) { return (first - 1 - static_cast<int>(v)) >> 8; };
  return static_cast<char>('A' + static_cast<int>(v) + (from(26) & 6) - (from(52) & 75) - (from(62) & 15) +
                           (from(63) & 3));
}

int hex_value(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

}  // namespace

std::string to_hex(Bytes bytes) {
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  text.reserve(bytes.size() * 2);
  for (uint8_t b : bytes) {
    text += kDigits[b >> 4];
    text += kDigits[b & 15];
  }
  return text;
}

Result<std::vector<uint8_t>> from_hex(std::string_view text) {
  std::vector<uint8_t> bytes;
  bytes.reserve(text.size() / 2);
  for (size_t i = 0; i < text.size();) {
    if (text[i] == ' ' || text[i] == '\t' || text[i] == '\n' || text[i] == '\r') {
      i++;
      continue;
    }
    if (i + 1 == text.size()) return fail(ErrorCode::kFormat, "odd number of hex digits");
    const int high = hex_value(text[i]);
    const int low = hex_value(text[i + 1]);
    if (high < 0 || low < 0) return fail(ErrorCode::kFormat, "not a hex digit");
    bytes.push_back(static_cast<uint8_t>(high << 4 | low));
    i += 2;
  }
  return bytes;
}

std::string to_base64(Bytes bytes) {
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (size_t i = 0; i < bytes.size(); i += 3) {
    const size_t n = std::min<size_t>(3, bytes.size() - i);
    uint32_t group = static_cast<uint32_t>(bytes[i]) << 16;
    if (n > 1) group |= static_cast<uint32_t>(bytes[i + 1]) << 8;
    if (n > 2) group |= bytes[i + 2];
    text += base64_digit(group >> 18);
    text += base64_digit(group >> 12 & 63);
    text += n > 1 ? base64_digit(group >> 6 & 63) : '=';
    text += n > 2 ? base64_digit(group & 63) : '=';
  }
  return text;
}

Result<size_t> from_base64(std::string_view text, MutBytes out) {
  if (text.size() % 4 != 0) return fail(ErrorCode::kFormat, "base64 text is cut short or lacks its padding");
  PLUMB_CHECK(out.size() >= text.size() / 4 * 3);
  size_t padding = 0;
  for (bool more = true; more && padding < 2 && padding < text.size(); padding += more ? 1 : 0) {
    more = text[text.size() - 1 - padding] == '=';
    ct_public(&more, sizeof more);  // how long the text is, is no secret
  }
  size_t size = 0;
  uint32_t bad = 0;
  uint32_t stray = 0;
  for (size_t i = 0; i < text.size(); i += 4) {
    const size_t digits = i + 4 == text.size() ? 4 - padding : 4;
    uint32_t group = 0;
    for (size_t k = 0; k < 4; k++) {
      const uint8_t v = k < digits ? base64_value(static_cast<uint8_t>(text[i + k])) : 0;
      bad |= v & 0x80;
      group = group << 6 | (v & 0x3f);
    }
    out[size++] = static_cast<uint8_t>(group >> 16);
    if (digits > 2) out[size++] = static_cast<uint8_t>(group >> 8);
    if (digits > 3) out[size++] = static_cast<uint8_t>(group);
    if (digits == 2) stray |= group & 0xffff;
    if (digits == 3) stray |= group & 0xff;
  }
  ct_public(&bad, sizeof bad);  // nor is whether it is well formed
  ct_public(&stray, sizeof stray);
  if (bad == 0 && stray == 0) return size;
  wipe(out);
  return fail(ErrorCode::kFormat, bad != 0 ? "a character is not base64" : "base64 text has stray bits at its end");
}

Result<std::vector<uint8_t>> from_base64(std::string_view text) {
  std::vector<uint8_t> bytes(text.size() / 4 * 3);
  const Result<size_t> size = from_base64(text, bytes);
  if (!size) return tl::unexpected(size.error());
  bytes.resize(*size);
  return bytes;
}

}  // namespace plumb
