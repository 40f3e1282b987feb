// Public keys and certificates as SSH blobs, and the proof that a signature was checked.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/bytes.h"
#include "core/result.h"
#include "keys/key_limits.h"

namespace plumb {

struct Certificate;

/// What a security token says of a signature (OpenSSH PROTOCOL.u2f).
struct TokenUse {
  bool user_present;   ///< somebody touched it
  bool user_verified;  ///< it asked for a PIN or a fingerprint
  uint32_t counter;    ///< of its signatures; clones show as a counter that falls behind
};

/// A signature was verified. Only `PublicKey::verify` can make one, so code that needs a `Verified` cannot be reached
/// without the check.
class Verified {
 public:
  Verified(const Verified&) = default;

  /// Of a security key's signature; nullopt for all others.
  const std::optional<TokenUse>& token() const { return token_; }

 private:
  friend class PublicKey;
  explicit Verified(std::optional<TokenUse> token) : token_(token) {}
  std::optional<TokenUse> token_;
};

class PublicKey {
 public:
  /// Parses a key blob (RFC 4253 §6.6) or a certificate (OpenSSH PROTOCOL.certkeys) and checks it: known type, exact
  /// lengths, nothing behind it, NIST point on the curve, odd RSA modulus and exponent; of a certificate the
  /// authority's signature besides, so that what `certificate()` says is what that authority has signed. kFormat for a
  /// malformed blob; kUnsupported for an unknown type, a certificate signed with SHA-1 and an RSA key outside the
  /// limits (at most 16384 bits) or with an exponent of more than 64 bits; kHostKey if the authority's signature is
  /// wrong.
  static Result<PublicKey> parse(Bytes blob, const KeyLimits& limits = {});

  /// "ssh-ed25519", "ssh-rsa", "ssh-rsa-cert-v01@openssh.com": the type inside the blob, not a signature algorithm.
  /// Lives as long as the key.
  std::string_view type() const;
  Bytes blob() const { return blob_; }

  /// What the certificate says; nullptr for a plain key. Whether the authority is one to believe, and whether the
  /// certificate is good here and now, is another question (keys/certificate.h). Lives as long as the key.
  const Certificate* certificate() const { return certificate_.get(); }

  /// The key without its certificate.
  PublicKey plain() const;

  /// Verifies an SSH signature blob (string algorithm, string signature) over `message`. The algorithm inside the blob
  /// must be the one that `algorithm` signs as, exactly, and `algorithm` must belong to this key's type: an "ssh-rsa"
  /// key under negotiated "rsa-sha2-512" is refused a "rsa-sha2-256" signature. kHostKey if it does not verify, kFormat
  /// if malformed, kUnsupported if `algorithm` is unknown.
  Result<Verified> verify(std::string_view algorithm, Bytes message, Bytes signature) const;

  /// "SHA256:…", as OpenSSH prints it: base64 without padding. Of a certificate, its key's.
  std::string fingerprint() const;

  /// "MD5:16:27:ac:…", the form that old tools print.
  std::string md5_fingerprint() const;

  bool operator==(const PublicKey& other) const { return blob_ == other.blob_; }

 private:
  PublicKey() = default;
  std::vector<uint8_t> plain_blob() const;

  std::vector<uint8_t> blob_;
  size_t fields_begin_ = 0;  ///< of the plain key's fields in blob_
  size_t fields_size_ = 0;
  std::shared_ptr<const Certificate> certificate_;
};

}  // namespace plumb
