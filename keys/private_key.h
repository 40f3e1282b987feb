// Private keys: made, read from OpenSSH key files, and used to sign.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/bytes.h"
#include "core/random.h"
#include "core/result.h"
#include "keys/public_key.h"

namespace plumb {

class PrivateKey {
 public:
  virtual ~PrivateKey() = default;
  virtual const PublicKey& public_key() const = 0;

  /// An SSH signature blob (string algorithm, string signature) over `message`. kUnsupported if the key cannot sign
  /// under `algorithm`.
  virtual Result<std::vector<uint8_t>> sign(std::string_view algorithm, Bytes message) const = 0;
};

/// A fresh ssh-ed25519 key.
std::unique_ptr<PrivateKey> generate_ed25519(RandomSource& random);

/// The ssh-ed25519 key of a 32-byte seed (RFC 8032 §5.1.5).
std::unique_ptr<PrivateKey> ed25519_from_seed(Bytes seed);

/// A key file and its comment.
struct KeyFile {
  std::unique_ptr<PrivateKey> key;
  std::string comment;
};

/// Reads the text of an "openssh-key-v1" file (OpenSSH PROTOCOL.key): unencrypted ed25519. Any base64 line width, LF or
/// CRLF, with or without a final newline. kFormat with the fault; kUnsupported for encrypted files and other key types,
/// with what to do in the text; kLimit beyond 1 MiB, as OpenSSH.
Result<KeyFile> parse_key_file(std::string_view text);

/// The text of an unencrypted "openssh-key-v1" file for an ed25519 key made here, as ssh-keygen writes it. It holds the
/// seed: wipe it when it is written. `comment` is shorter than 512 KiB.
std::string write_key_file(const PrivateKey& key, std::string_view comment, RandomSource& random);

}  // namespace plumb
