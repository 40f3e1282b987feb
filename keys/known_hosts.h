// known_hosts (sshd(8), SSH_KNOWN_HOSTS FILE FORMAT): which key a host must show.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/random.h"
#include "core/result.h"
#include "keys/public_key.h"

namespace plumb {

enum class HostVerdict : uint8_t {
  kMatch,    ///< a line for this host has this key
  kUnknown,  ///< no line for this host has a key of this type, nor any other
  kChanged,  ///< the host has lines, but none with this key
  kRevoked,  ///< an @revoked line for this host has this key; wins over any match
};

/// A verdict and the number of the line that gave it: the matching line, the first line with another key, the @revoked
/// line; 0 for kUnknown.
struct HostFinding {
  HostVerdict verdict;
  size_t line;
};

class KnownHosts {
 public:
  /// Plain names, comma-separated patterns with * and ?, negation, hashed names (|1|salt|hash), [host]:port, markers.
  /// Lines that cannot be understood are skipped and counted, as OpenSSH does. A key is looked into only when its host
  /// is asked for, since a site's file may hold thousands: a line with a malformed key is then passed over, while one
  /// with a key that we cannot use (another type, too short an RSA key) still is a line of its host, so that another
  /// key is kChanged.
  static KnownHosts parse(std::string_view text);

  /// `host` as the user named it (compared in lower case); `port` 22 matches bare names, others only "[host]:port".
  /// @cert-authority lines say nothing about a plain key.
  HostFinding find(std::string_view host, uint16_t port, const PublicKey& key) const;
  HostVerdict check(std::string_view host, uint16_t port, const PublicKey& key) const {
    return find(host, port, key).verdict;
  }

  /// Key types with a usable line for this host, in file order without doubles: what to negotiate first. Lines with a
  /// key that is revoked for this host do not count.
  std::vector<std::string> key_types(std::string_view host, uint16_t port) const;

  /// Line number of the first line for this host without a marker, for messages; 0 if there is none.
  size_t line_of(std::string_view host, uint16_t port) const;

  size_t skipped_lines() const { return skipped_; }

 private:
  static constexpr size_t kHashSize = 20;
  enum class Marker : uint8_t { kNone, kRevoked, kCertAuthority };
  struct HashedName {
    std::array<uint8_t, kHashSize> salt;
    std::array<uint8_t, kHashSize> hash;
  };
  struct Entry {
    size_t line = 0;
    Marker marker = Marker::kNone;
    std::string patterns;  // lower case; empty if hashed
    std::optional<HashedName> hashed;
    std::string key_type;
    std::vector<uint8_t> blob;
  };

  /// A line for the host that was asked for.
  struct Match {
    const Entry* entry;
    bool usable;  // whether the key is one that we can verify with
  };

  static std::optional<Entry> parse_line(std::string_view line);
  static std::optional<HashedName> parse_hashed_name(std::string_view name);
  static bool names_match(const Entry& entry, std::string_view name);
  std::vector<Match> matches_of(std::string_view host, uint16_t port) const;

  std::vector<Entry> entries_;
  size_t skipped_ = 0;
};

/// "host" or "[host]:port", in lower case.
std::string known_hosts_name(std::string_view host, uint16_t port);

/// One line for the file, with its newline; hashed under a random salt if `random` is given. A name that would be read
/// back as something else (with a pattern character, a comma or a blank) is hashed in any case.
std::string known_hosts_line(std::string_view host, uint16_t port, const PublicKey& key,
                             RandomSource* random = nullptr);

}  // namespace plumb
