// known_hosts (sshd(8), SSH_KNOWN_HOSTS FILE FORMAT): which key a host must show.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/random.h"
#include "core/result.h"
#include "keys/certificate.h"
#include "keys/public_key.h"

namespace plumb {

enum class HostVerdict : uint8_t {
  kMatch,    ///< a line for this host has this key
  kUnknown,  ///< no line for this host has a key of this type, nor any other
  kChanged,  ///< the host has lines, but none with this key
  kRevoked,  ///< an @revoked line for this host has this key, or its certificate's authority; wins over any match
  kBadCertificate,  ///< an authority of this host signed the certificate, but it is not good, and the key is unknown
};

/// A verdict and the number of the line that gave it: the matching line, the first line with another key, the @revoked
/// line, the authority's line; 0 for kUnknown.
struct HostFinding {
  HostVerdict verdict;
  size_t line;
  const char* fault = "";  ///< what is wrong with the certificate, for kBadCertificate
};

/// What the file should gain and lose after a server has shown all its keys (OpenSSH's UpdateHostKeys).
struct HostKeyUpdate {
  std::vector<PublicKey> add;
  std::vector<size_t> remove;  ///< line numbers
  bool empty() const { return add.empty() && remove.empty(); }
};

class KnownHosts {
 public:
  /// Plain names, comma-separated patterns with * and ?, negation, hashed names (|1|salt|hash), [host]:port, markers.
  /// Lines that cannot be understood are skipped and counted, as OpenSSH does. A key is looked into only when its host
  /// is asked for, since a site's file may hold thousands: a line with a malformed key is then passed over, while one
  /// with a key that we cannot use (another type, too short an RSA key) still is a line of its host, so that another
  /// key is kChanged.
  static KnownHosts parse(std::string_view text);

  /// `host` as the user named it (compared in lower case); `port` 22 matches bare names, others "[host]:port". As in
  /// ssh, a host that no line knows at its port may still be known under its bare name: a match there counts, and a
  /// revocation, while another key there says nothing.
  ///
  /// A certificate is good by an @cert-authority line of the host if `check_host_certificate` says so at `now`; where
  /// no such line has its authority, or without `now`, it counts as its plain key. @cert-authority lines say nothing
  /// about a plain key.
  HostFinding find(std::string_view host, uint16_t port, const PublicKey& key,
                   std::optional<UnixTime> now = std::nullopt) const;
  HostVerdict check(std::string_view host, uint16_t port, const PublicKey& key,
                    std::optional<UnixTime> now = std::nullopt) const {
    return find(host, port, key, now).verdict;
  }

  /// Key types with a usable line for this host, in file order without doubles: what to negotiate first. Lines with a
  /// key that is revoked for this host do not count.
  std::vector<std::string> key_types(std::string_view host, uint16_t port) const;

  /// Every host key algorithm in the order to offer them, so that the server shows a key that can be checked (C45):
  /// those of certificates, if an authority is known for the host and only then; those of the key types that the file
  /// has; the others.
  std::vector<std::string_view> preferred_algorithms(std::string_view host, uint16_t port) const;

  /// What to change when the host has proved to hold exactly the keys `shown`. nullopt where the file should be left
  /// alone: none of the host's lines has one of them, or one of its lines is a pattern, a list of names or an
  /// authority's, which speaks of other hosts too. Revoked keys and certificates are not added, and lines with a key
  /// that we cannot use are not removed: whether the host still holds it cannot be told.
  std::optional<HostKeyUpdate> plan_update(std::string_view host, uint16_t port,
                                           const std::vector<PublicKey>& shown) const;

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
  std::vector<Match> matches_of(std::string_view name) const;
  std::vector<Match> matches_of(std::string_view host, uint16_t port) const;
  HostFinding find_under(std::string_view name, std::string_view host, const PublicKey& key,
                         std::optional<UnixTime> now) const;

  std::vector<Entry> entries_;
  size_t skipped_ = 0;
};

/// The text of the file after `update`: without the lines to remove, and with a line for each key to add, hashed under
/// a random salt if `random` is given.
std::string apply_update(std::string_view text, const HostKeyUpdate& update, std::string_view host, uint16_t port,
                         RandomSource* random = nullptr);

/// "host" or "[host]:port", in lower case.
std::string known_hosts_name(std::string_view host, uint16_t port);

/// One line for the file, with its newline; of a certificate, its plain key's; hashed under a random salt if `random`
/// is given. A name that would be read back as something else (with a pattern character, a comma or a blank) is hashed
/// in any case.
std::string known_hosts_line(std::string_view host, uint16_t port, const PublicKey& key,
                             RandomSource* random = nullptr);

}  // namespace plumb
