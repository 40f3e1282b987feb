// OpenSSH certificates (PROTOCOL.certkeys): what an authority says of a key. They are read by `PublicKey::parse`.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"
#include "core/wire.h"
#include "keys/public_key.h"

namespace plumb {

/// Seconds since 1970-01-01 UTC. Passed in: this room asks no clock.
using UnixTime = uint64_t;

enum class CertificateKind : uint32_t { kUser = 1, kHost = 2 };

/// A critical option or an extension. `data` as it stands in the certificate: empty for a flag, a string in a string
/// for a value.
struct CertificateOption {
  std::string name;
  std::vector<uint8_t> data;
};

struct Certificate {
  uint64_t serial;
  CertificateKind kind;
  std::string key_id;  ///< the authority's own words, for logs: untrusted text
  std::vector<std::string> principals;
  UnixTime valid_after;   ///< from this second on
  UnixTime valid_before;  ///< until before this one; UINT64_MAX: for ever
  std::vector<CertificateOption> critical_options;
  std::vector<CertificateOption> extensions;
  PublicKey authority;              ///< who signed it
  std::string authority_algorithm;  ///< and how: "rsa-sha2-512"
};

/// Most names in one certificate; OpenSSH's SSHKEY_CERT_MAX_PRINCIPALS.
inline constexpr size_t kMaxPrincipals = 256;

/// The certificate `blob`, whose reader stands behind the plain key's fields, with its signature checked. For
/// `PublicKey::parse`.
Result<Certificate> parse_certificate(Bytes blob, Reader& reader, const KeyLimits& limits);

/// Whether it is of `kind` and `now` lies in its time. kHostKey for a host's, kAuth for a user's, with the fault.
Result<void> check_certificate(const Certificate& certificate, CertificateKind kind, UnixTime now);

/// The same for a host that was asked for as `host`: its name must fit a principal, which may be a pattern, and there
/// may be no critical option, since none is known for hosts. A certificate without principals is for nobody, as in
/// OpenSSH from 10.3 on.
Result<void> check_host_certificate(const Certificate& certificate, std::string_view host, UnixTime now);

}  // namespace plumb
