// Private key files: "openssh-key-v1" (OpenSSH PROTOCOL.key), encrypted or not, and the PEM forms that libcrypto knows.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "core/random.h"
#include "core/result.h"
#include "keys/private_key.h"

namespace plumb {

/// A key file and its comment.
struct KeyFile {
  std::unique_ptr<StoredKey> key;
  std::string comment;  ///< empty in PEM files, which have none
};

/// What can be said of a key file without its passphrase.
struct KeyFileOutline {
  bool encrypted;
  std::optional<PublicKey> public_key;  ///< none in encrypted PEM files
};

/// Reads the text of a key file:
/// - "openssh-key-v1", any base64 line width, LF or CRLF, with or without a final newline;
/// - PKCS#8 (plain and PBES2), PKCS#1 and SEC1 in PEM.
/// `passphrase` is for encrypted files; others ignore it. kFormat with the fault; kUnsupported with what to do in the
/// text; kAuth if a passphrase is missing or wrong; kLimit beyond 1 MiB, as OpenSSH, and for a key derivation that
/// would take minutes.
Result<KeyFile> parse_key_file(std::string_view text, std::optional<Bytes> passphrase = std::nullopt);

/// The same errors, but no passphrase is needed.
Result<KeyFileOutline> outline_key_file(std::string_view text);

struct KeyFileEncryption {
  Bytes passphrase;                        ///< not empty
  std::string_view cipher = "aes256-ctr";  ///< one of `key_file_ciphers()`; anything else aborts
  unsigned rounds = 24;                    ///< of bcrypt_pbkdf: OpenSSH's since 9.4, about a quarter of a second
};

/// The text of an "openssh-key-v1" file, as ssh-keygen writes it. Without `encryption` it holds the bare secret: wipe
/// it when it is written. `comment` is shorter than 512 KiB.
std::string write_key_file(const StoredKey& key, std::string_view comment, RandomSource& random,
                           const std::optional<KeyFileEncryption>& encryption = std::nullopt);

}  // namespace plumb
