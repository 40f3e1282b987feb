#include "keys/known_hosts.h"

#include <algorithm>

#include "ciphers/mac/hmac.h"
#include "core/encoding.h"
#include "core/wire.h"
#include "keys/host_pattern.h"
#include "keys/text_words.h"

namespace plumb {
namespace {

constexpr std::string_view kHashMark = "|1|";
constexpr uint16_t kDefaultPort = 22;

/// HMAC-SHA1 of the name under the salt.
std::array<uint8_t, 20> hash_name(Bytes salt, std::string_view name) {
  std::array<uint8_t, 20> digest;
  Hmac(HashId::kSha1, salt, host_kernels()).compute({}, as_bytes(name), digest);
  return digest;
}

/// Whether a plain entry with this name would match this name alone.
bool is_plain_name(std::string_view name) {
  return !name.empty() && std::all_of(name.begin(), name.end(), [](char c) {
    return c > ' ' && c != '\x7f' && std::string_view("*?!,|#@").find(c) == std::string_view::npos;
  });
}

}  // namespace

std::optional<KnownHosts::HashedName> KnownHosts::parse_hashed_name(std::string_view name) {
  if (!name.starts_with(kHashMark)) return std::nullopt;
  name.remove_prefix(kHashMark.size());
  const size_t bar = name.find('|');
  if (bar == std::string_view::npos) return std::nullopt;
  const auto salt = from_base64(name.substr(0, bar));
  const auto digest = from_base64(name.substr(bar + 1));
  if (!salt || !digest || salt->size() != kHashSize || digest->size() != kHashSize) return std::nullopt;
  HashedName hashed;
  std::copy(salt->begin(), salt->end(), hashed.salt.begin());
  std::copy(digest->begin(), digest->end(), hashed.hash.begin());
  return hashed;
}

std::optional<KnownHosts::Entry> KnownHosts::parse_line(std::string_view line) {
  Entry entry;
  std::string_view names = take_word(line);
  if (names.starts_with('@')) {
    if (names == "@revoked") entry.marker = Marker::kRevoked;
    if (names == "@cert-authority") entry.marker = Marker::kCertAuthority;
    if (entry.marker == Marker::kNone) return std::nullopt;
    names = take_word(line);
    if (names.starts_with('@')) return std::nullopt;
  }
  if (names.starts_with('|')) {
    entry.hashed = parse_hashed_name(names);
    if (!entry.hashed) return std::nullopt;
  } else {
    entry.patterns = to_lower(names);
  }
  entry.key_type = take_word(line);
  auto blob = from_base64(take_word(line));
  if (!blob || entry.key_type.empty() || Reader(*blob).text() != entry.key_type) return std::nullopt;
  entry.blob = *std::move(blob);
  return entry;
}

KnownHosts KnownHosts::parse(std::string_view text) {
  KnownHosts hosts;
  for (size_t number = 1; !text.empty(); number++) {
    const std::string_view line = take_line(text);
    if (is_idle_line(line)) continue;
    std::optional<Entry> entry = parse_line(line);
    if (!entry) {
      hosts.skipped_++;
      continue;
    }
    entry->line = number;
    hosts.entries_.push_back(*std::move(entry));
  }
  return hosts;
}

bool KnownHosts::names_match(const Entry& entry, std::string_view name) {
  if (entry.hashed) return hash_name(entry.hashed->salt, name) == entry.hashed->hash;
  return match_pattern_list(name, entry.patterns);
}

std::vector<KnownHosts::Match> KnownHosts::matches_of(std::string_view host, uint16_t port) const {
  const std::string name = known_hosts_name(host, port);
  std::vector<Match> matches;
  for (const Entry& entry : entries_) {
    if (!names_match(entry, name)) continue;
    const auto key = PublicKey::parse(entry.blob);
    const bool malformed = !key && key.error().code != ErrorCode::kUnsupported;
    if (!malformed) matches.push_back({&entry, key.has_value()});
  }
  return matches;
}

HostFinding KnownHosts::find(std::string_view host, uint16_t port, const PublicKey& key) const {
  HostFinding finding{HostVerdict::kUnknown, 0};
  for (const auto& [entry, usable] : matches_of(host, port)) {
    const bool same = std::ranges::equal(entry->blob, key.blob());
    if (entry->marker == Marker::kRevoked && same) return {HostVerdict::kRevoked, entry->line};
    if (entry->marker != Marker::kNone) continue;
    if (same && finding.verdict != HostVerdict::kMatch) finding = {HostVerdict::kMatch, entry->line};
    if (!same && finding.verdict == HostVerdict::kUnknown) finding = {HostVerdict::kChanged, entry->line};
  }
  return finding;
}

std::vector<std::string> KnownHosts::key_types(std::string_view host, uint16_t port) const {
  const std::vector<Match> matches = matches_of(host, port);
  const auto is_revoked = [&](const Entry& entry) {
    return std::any_of(matches.begin(), matches.end(), [&](const Match& other) {
      return other.entry->marker == Marker::kRevoked && other.entry->blob == entry.blob;
    });
  };
  std::vector<std::string> types;
  for (const auto& [entry, usable] : matches) {
    if (entry->marker != Marker::kNone || !usable || is_revoked(*entry)) continue;
    if (std::find(types.begin(), types.end(), entry->key_type) == types.end()) types.push_back(entry->key_type);
  }
  return types;
}

size_t KnownHosts::line_of(std::string_view host, uint16_t port) const {
  for (const auto& [entry, usable] : matches_of(host, port)) {
    if (entry->marker == Marker::kNone) return entry->line;
  }
  return 0;
}

std::string known_hosts_name(std::string_view host, uint16_t port) {
  const std::string lower = to_lower(host);
  return port == kDefaultPort ? lower : "[" + lower + "]:" + std::to_string(port);
}

std::string known_hosts_line(std::string_view host, uint16_t port, const PublicKey& key, RandomSource* random) {
  std::string name = known_hosts_name(host, port);
  if (random == nullptr && !is_plain_name(name)) random = &system_random();
  if (random != nullptr) {
    std::array<uint8_t, 20> salt;
    random->fill(salt);
    name = std::string(kHashMark) + to_base64(salt) + "|" + to_base64(hash_name(salt, name));
  }
  return name + " " + std::string(key.type()) + " " + to_base64(key.blob()) + "\n";
}

}  // namespace plumb
