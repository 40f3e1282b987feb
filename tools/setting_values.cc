#include "tools/setting_values.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "kex/methods.h"
#include "keys/signature.h"
#include "packet/cipher_suite.h"

namespace plumb {
namespace {

tl::unexpected<std::string> wrong(std::string sentence) { return tl::unexpected(std::move(sentence)); }

template <class Table>
NameList names_of(const Table& table) {
  NameList names;
  for (const auto& line : table) names.emplace_back(line.name);
  return names;
}

}  // namespace

std::optional<uint64_t> read_number(std::string_view text) {
  uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

Checked<void> set_flag(const std::string& value, bool& flag) {
  if (value != "yes" && value != "no") return wrong("takes yes or no");
  flag = value == "yes";
  return {};
}

Checked<KeyLimits> read_rsa_size(const std::string& value) {
  constexpr unsigned kLeast = KeyLimits{}.min_rsa_bits;
  const std::optional<uint64_t> bits = read_number(value);
  if (!bits || *bits < kLeast || *bits > kMostRsaBits)
    return wrong(
        fmt::format("takes a number of bits from {} to {}: shorter keys are never believed", kLeast, kMostRsaBits));
  return KeyLimits{.min_rsa_bits = static_cast<unsigned>(*bits)};
}

std::optional<uint64_t> read_size(std::string_view text) {
  if (text.empty()) return std::nullopt;
  constexpr std::string_view kSuffixes = "KMG";
  const size_t power = kSuffixes.find(static_cast<char>(std::toupper(static_cast<unsigned char>(text.back()))));
  if (power == std::string_view::npos) return read_number(text);
  const std::optional<uint64_t> number = read_number(text.substr(0, text.size() - 1));
  const unsigned shift = 10 * (static_cast<unsigned>(power) + 1);
  if (!number || *number > UINT64_MAX >> shift) return std::nullopt;
  return *number << shift;
}

std::optional<Duration> read_time(std::string_view text) {
  std::chrono::seconds total{0};
  while (!text.empty()) {
    const size_t digits = std::min(text.find_first_not_of("0123456789"), text.size());
    const std::optional<uint64_t> number = read_number(text.substr(0, digits));
    if (!number || *number > 1'000'000'000) return std::nullopt;
    uint64_t unit = 1;
    if (digits < text.size()) {
      switch (std::tolower(static_cast<unsigned char>(text[digits]))) {
        case 's': break;
        case 'm': unit = 60; break;
        case 'h': unit = 3600; break;
        case 'd': unit = 86400; break;
        case 'w': unit = 604800; break;
        default: return std::nullopt;
      }
    }
    total += std::chrono::seconds(*number * unit);
    if (total > std::chrono::hours(24 * 365 * 100)) return std::nullopt;
    text.remove_prefix(std::min(digits + 1, text.size()));
  }
  return total;
}

Checked<RekeyLimits> read_rekey_limit(const std::string& value) {
  const size_t blank = value.find_first_of(" \t");
  const std::string size = value.substr(0, blank);
  const std::string time = blank == std::string::npos ? "none" : value.substr(value.find_first_not_of(" \t", blank));
  RekeyLimits limits;
  if (size != "default" && size != "none") {
    const std::optional<uint64_t> bytes = read_size(size);
    // Below this a key exchange moves more bytes than the keys may protect; ssh's own bound.
    if (!bytes || *bytes < 16)
      return wrong("takes a size of at least 16 such as 256K, 1M or 1G, and perhaps a time such as 1h");
    limits.bytes = *bytes;
  }
  if (time != "none") {
    const std::optional<Duration> duration = read_time(time);
    if (!duration) return wrong("takes a time such as 90, 30m or 1h after the size");
    limits.time = *duration;
  }
  return limits;
}

NameList known_ciphers() { return names_of(cipher_specs()); }
NameList known_macs() { return names_of(mac_specs()); }
NameList known_kex_methods() { return names_of(kex_methods()); }
NameList known_signatures() { return names_of(signature_algorithms()); }

NameList known_host_key_algorithms() {
  NameList names = names_of(signature_algorithms());
  for (const SignatureAlgorithm& line : certificate_algorithms()) names.emplace_back(line.name);
  return names;
}

Checked<NameList> read_names(const std::string& list, const NameList& known, const std::string& what) {
  const Result<NameList> names = parse_name_list(list);
  if (!names || names->empty()) return wrong(fmt::format("'{}' is not a comma-separated list of {}s", list, what));
  for (const std::string& name : *names) {
    if (!contains_name(known, name))
      return wrong(fmt::format("there is no {} '{}' here; known are {}", what, name, join_name_list(known)));
  }
  return *names;
}

Checked<uint16_t> read_port(const std::string& text) {
  const std::optional<uint64_t> number = read_number(text);
  if (!number || *number == 0 || *number > 65535)
    return wrong(fmt::format("'{}' is not a port: a number from 1 to 65535", text));
  return static_cast<uint16_t>(*number);
}

}  // namespace plumb
