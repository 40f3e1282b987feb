#include "keys/address_match.h"

#include <arpa/inet.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <optional>
#include <string>

#include "keys/host_pattern.h"
#include "keys/text_words.h"

namespace plumb {
namespace {

struct IpAddress {
  int family = 0;
  std::array<uint8_t, 16> bytes{};
  unsigned bits() const { return family == AF_INET ? 32 : 128; }
};

std::optional<IpAddress> parse_address(std::string_view text) {
  const std::string name(text.substr(0, text.find('%')));  // without the zone of a link-local address
  IpAddress address;
  address.family = AF_INET;
  if (inet_pton(AF_INET, name.c_str(), address.bytes.data()) == 1) return address;
  address.family = AF_INET6;
  if (inet_pton(AF_INET6, name.c_str(), address.bytes.data()) != 1) return std::nullopt;
  constexpr std::array<uint8_t, 12> kMapped{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};
  if (!std::equal(kMapped.begin(), kMapped.end(), address.bytes.begin())) return address;
  IpAddress mapped;
  mapped.family = AF_INET;
  std::copy(address.bytes.begin() + 12, address.bytes.end(), mapped.bytes.begin());
  return mapped;
}

/// Bit `i` of an address, the most significant first.
bool bit_at(const IpAddress& address, unsigned i) { return (address.bytes[i / 8] >> (7 - i % 8) & 1) != 0; }

struct Block {
  IpAddress address;
  unsigned mask;
};

/// nullopt if it is no address at all, so that it may be a pattern; kFormat if it is one with a wrong mask.
Result<std::optional<Block>> parse_block(std::string_view text) {
  const size_t slash = text.find('/');
  const std::optional<IpAddress> address = parse_address(text.substr(0, slash));
  if (!address) return std::nullopt;
  if (slash == std::string_view::npos) return Block{*address, address->bits()};
  const std::string_view digits = text.substr(slash + 1);
  unsigned mask = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), mask);
  const bool number = error == std::errc() && end == digits.data() + digits.size();
  if (!number || mask > address->bits()) return fail(ErrorCode::kFormat, "the mask of an address is too long");
  for (unsigned i = mask; i < address->bits(); i++) {
    if (bit_at(*address, i)) return fail(ErrorCode::kFormat, "an address has bits set beyond its mask");
  }
  return Block{*address, mask};
}

bool contains(const Block& block, const IpAddress& address) {
  if (block.address.family != address.family) return false;
  for (unsigned i = 0; i < block.mask; i++) {
    if (bit_at(block.address, i) != bit_at(address, i)) return false;
  }
  return true;
}

/// The next entry of a comma-separated list, which is taken off; nullopt at the end.
std::optional<std::string_view> take_entry(std::optional<std::string_view>& list) {
  if (!list) return std::nullopt;
  const size_t comma = list->find(',');
  const std::string_view entry = list->substr(0, comma);
  if (comma == std::string_view::npos)
    list.reset();
  else
    list->remove_prefix(comma + 1);
  return entry;
}

}  // namespace

Result<bool> match_address_list(std::string_view address, std::string_view list) {
  const std::optional<IpAddress> peer = parse_address(address);
  bool matched = false;
  std::optional<std::string_view> rest = list;
  while (const auto entry = take_entry(rest)) {
    const Result<std::optional<Block>> block = parse_block(*entry);
    if (!block) return tl::unexpected(block.error());
    if (!*block) return fail(ErrorCode::kFormat, "an entry of the list of addresses is not an address");
    matched |= peer && contains(**block, *peer);
  }
  return matched;
}

Result<bool> match_from_list(std::string_view host, std::string_view address, std::string_view list) {
  const std::optional<IpAddress> peer = parse_address(address);
  const std::string name = to_lower(host);
  bool matched = false;
  bool refused = false;
  std::optional<std::string_view> rest = list;
  while (auto entry = take_entry(rest)) {
    const bool negated = entry->starts_with('!');
    if (negated) entry->remove_prefix(1);
    if (entry->empty()) continue;
    const Result<std::optional<Block>> block = parse_block(*entry);
    if (!block) return tl::unexpected(block.error());
    const std::string pattern = to_lower(*entry);
    const bool fits = *block ? peer && contains(**block, *peer)
                             : match_pattern(address, pattern) || (!name.empty() && match_pattern(name, pattern));
    refused |= fits && negated;
    matched |= fits && !negated;
  }
  return matched && !refused;
}

}  // namespace plumb
