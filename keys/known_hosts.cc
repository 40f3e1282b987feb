#include "keys/known_hosts.h"

#include <algorithm>

#include "ciphers/mac/hmac.h"
#include "core/encoding.h"
#include "core/wire.h"
#include "keys/host_pattern.h"
#include "keys/public_line.h"
#include "keys/signature.h"
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

std::vector<KnownHosts::Match> KnownHosts::matches_of(std::string_view name) const {
  std::vector<Match> matches;
  for (const Entry& entry : entries_) {
    if (!names_match(entry, name)) continue;
    const auto key = PublicKey::parse(entry.blob);
    const bool malformed = !key && key.error().code != ErrorCode::kUnsupported;
    if (!malformed) matches.push_back({&entry, key.has_value()});
  }
  return matches;
}

/// Where no line knows the host at its port, the lines of its bare name.
std::vector<KnownHosts::Match> KnownHosts::matches_of(std::string_view host, uint16_t port) const {
  std::vector<Match> matches = matches_of(known_hosts_name(host, port));
  if (matches.empty() && port != kDefaultPort) matches = matches_of(to_lower(host));
  return matches;
}

HostFinding KnownHosts::find_under(std::string_view name, std::string_view host, const PublicKey& key,
                                   std::optional<UnixTime> now) const {
  const Certificate* certificate = now ? key.certificate() : nullptr;
  const PublicKey plain = key.plain();
  const std::vector<Match> matches = matches_of(name);
  const auto is = [](const Entry& entry, const PublicKey& other) {
    return std::ranges::equal(entry.blob, other.blob());
  };
  for (const auto& [entry, usable] : matches) {
    if (entry->marker != Marker::kRevoked) continue;
    if (is(*entry, plain) || (key.certificate() != nullptr && is(*entry, key.certificate()->authority))) {
      return {HostVerdict::kRevoked, entry->line};
    }
  }
  HostFinding refused{HostVerdict::kUnknown, 0};
  for (const auto& [entry, usable] : matches) {
    if (certificate == nullptr || entry->marker != Marker::kCertAuthority || !is(*entry, certificate->authority))
      continue;
    const Result<void> checked = check_host_certificate(*certificate, host, *now);
    if (checked) return {HostVerdict::kMatch, entry->line};
    refused = {HostVerdict::kBadCertificate, entry->line, checked.error().text};
  }
  HostFinding finding{HostVerdict::kUnknown, 0};
  for (const auto& [entry, usable] : matches) {
    if (entry->marker != Marker::kNone) continue;
    if (is(*entry, plain)) return {HostVerdict::kMatch, entry->line};
    if (finding.verdict == HostVerdict::kUnknown) finding = {HostVerdict::kChanged, entry->line};
  }
  return finding.verdict == HostVerdict::kUnknown ? refused : finding;
}

HostFinding KnownHosts::find(std::string_view host, uint16_t port, const PublicKey& key,
                             std::optional<UnixTime> now) const {
  const HostFinding finding = find_under(known_hosts_name(host, port), host, key, now);
  if (finding.verdict != HostVerdict::kUnknown || port == kDefaultPort) return finding;
  const HostFinding bare = find_under(to_lower(host), host, key, now);
  return bare.verdict == HostVerdict::kChanged ? finding : bare;
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

std::vector<std::string_view> KnownHosts::preferred_algorithms(std::string_view host, uint16_t port) const {
  std::vector<std::string_view> order;
  const std::vector<Match> matches = matches_of(host, port);
  const bool has_authority = std::any_of(matches.begin(), matches.end(), [](const Match& match) {
    return match.entry->marker == Marker::kCertAuthority && match.usable;
  });
  if (has_authority) {
    for (const SignatureAlgorithm& line : certificate_algorithms()) order.push_back(line.name);
  }
  for (const std::string& type : key_types(host, port)) {
    for (std::string_view name : algorithms_of_key_type(type)) order.push_back(name);
  }
  for (const SignatureAlgorithm& line : signature_algorithms()) {
    if (std::find(order.begin(), order.end(), line.name) == order.end()) order.push_back(line.name);
  }
  return order;
}

std::optional<HostKeyUpdate> KnownHosts::plan_update(std::string_view host, uint16_t port,
                                                     const std::vector<PublicKey>& shown) const {
  const std::vector<Match> matches = matches_of(known_hosts_name(host, port));
  const auto has = [&](const PublicKey& key, Marker marker) {
    return std::any_of(matches.begin(), matches.end(), [&](const Match& match) {
      return match.entry->marker == marker && std::ranges::equal(match.entry->blob, key.blob());
    });
  };
  HostKeyUpdate update;
  bool known = false;
  for (const auto& [entry, usable] : matches) {
    if (entry->marker == Marker::kRevoked) continue;
    const bool of_others = entry->patterns.find_first_of("*?!,") != std::string::npos;
    if (entry->marker == Marker::kCertAuthority || of_others) return std::nullopt;
    const bool still_held = std::any_of(shown.begin(), shown.end(), [&entry = entry](const PublicKey& key) {
      return std::ranges::equal(entry->blob, key.blob());
    });
    known |= still_held;
    if (!still_held && usable) update.remove.push_back(entry->line);
  }
  if (!known) return std::nullopt;
  for (const PublicKey& key : shown) {
    const bool twice = std::find(update.add.begin(), update.add.end(), key) != update.add.end();
    if (twice || key.certificate() != nullptr || has(key, Marker::kNone) || has(key, Marker::kRevoked)) continue;
    update.add.push_back(key);
  }
  return update;
}

size_t KnownHosts::line_of(std::string_view host, uint16_t port) const {
  for (const auto& [entry, usable] : matches_of(host, port)) {
    if (entry->marker == Marker::kNone) return entry->line;
  }
  return 0;
}

std::string apply_update(std::string_view text, const HostKeyUpdate& update, std::string_view host, uint16_t port,
                         RandomSource* random) {
  std::string result;
  for (size_t number = 1; !text.empty(); number++) {
    const std::string_view before = text;
    take_line(text);
    const bool removed = std::find(update.remove.begin(), update.remove.end(), number) != update.remove.end();
    if (!removed) result += before.substr(0, before.size() - text.size());
  }
  if (!result.empty() && result.back() != '\n') result += '\n';
  for (const PublicKey& key : update.add) result += known_hosts_line(host, port, key, random);
  return result;
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
  return name + " " + public_line(key.plain()) + "\n";
}

}  // namespace plumb
