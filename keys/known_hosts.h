// known_hosts (sshd(8), SSH_KNOWN_HOSTS FILE FORMAT): which key a host must show.
#pragma once

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

class KnownHosts {
 public:
  /// Plain names, comma-separated patterns with * and ?, negation, hashed names (|1|salt|hash), [host]:port, markers.
  /// Lines that cannot be understood are skipped and counted, as OpenSSH does.
  static KnownHosts parse(std::string_view text);

  /// `host` as the user named it (compared in lower case); `port` 22 matches bare names, others only "[host]:port".
  HostVerdict check(std::string_view host, uint16_t port, const PublicKey& key) const;

  /// Key types with a usable line for this host, in file order without doubles: what to negotiate first.
  std::vector<std::string> key_types(std::string_view host, uint16_t port) const;

  /// Line number of the first line for this host, for messages; 0 if there is none.
  size_t line_of(std::string_view host, uint16_t port) const;

  size_t skipped_lines() const { return skipped_; }

 private:
  struct Entry {
    size_t line;
    enum class Marker : uint8_t { kNone, kRevoked, kCertAuthority } marker;
    std::string patterns;
    PublicKey key;
  };
  std::vector<Entry> entries_;
  size_t skipped_ = 0;
};

/// "host" or "[host]:port", in lower case.
std::string known_hosts_name(std::string_view host, uint16_t port);

/// One line for the file, with its newline; hashed under a random salt if `random` is given.
std::string known_hosts_line(std::string_view host, uint16_t port, const PublicKey& key, RandomSource* random = nullptr);

}  // namespace plumb
