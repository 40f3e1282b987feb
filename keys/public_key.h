// Public keys as SSH blobs, and the proof that a signature was checked.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/bytes.h"
#include "core/result.h"

namespace plumb {

/// A signature was verified. Only `PublicKey::verify` can make one, so code that needs a `Verified` cannot be reached
/// without the check.
class Verified {
 public:
  Verified(const Verified&) = default;

 private:
  friend class PublicKey;
  Verified() = default;
};

class PublicKey {
 public:
  /// Parses a key blob (RFC 4253 §6.6) and checks it: known type, exact lengths, nothing behind it, NIST point on the
  /// curve, odd RSA modulus and exponent. kFormat for a malformed blob; kUnsupported for an unknown type and for an RSA
  /// key outside 2048 to 16384 bits or with an exponent of more than 64 bits.
  static Result<PublicKey> parse(Bytes blob);

  /// "ssh-ed25519", "ecdsa-sha2-nistp256", "ssh-rsa": the type inside the blob, not a signature algorithm. Lives as
  /// long as the key.
  std::string_view type() const;
  Bytes blob() const { return blob_; }

  /// Verifies an SSH signature blob (string algorithm, string signature) over `message`. The algorithm inside the blob
  /// must be `algorithm` exactly, and `algorithm` must belong to this key's type: an "ssh-rsa" key under negotiated
  /// "rsa-sha2-512" is refused a "rsa-sha2-256" signature. kHostKey if it does not verify, kFormat if malformed,
  /// kUnsupported if `algorithm` is unknown.
  Result<Verified> verify(std::string_view algorithm, Bytes message, Bytes signature) const;

  /// "SHA256:…", as OpenSSH prints it: base64 without padding.
  std::string fingerprint() const;

  bool operator==(const PublicKey& other) const { return blob_ == other.blob_; }

 private:
  explicit PublicKey(std::vector<uint8_t> blob) : blob_(std::move(blob)) {}
  std::vector<uint8_t> blob_;
};

}  // namespace plumb
