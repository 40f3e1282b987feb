// A private key in an encrypted file: offered by its public half, opened only if it is to sign.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "keys/key_file.h"

namespace plumb {

/// Asks for the passphrase of a file; empty: nobody knows it. Null where nobody may be asked.
using AskPassphrase = std::function<SecretBytes(const std::string& path)>;

class LockedKey final : public PrivateKey {
 public:
  /// `text` is the file's, `public_key` what is offered for it.
  LockedKey(std::string path, SecretBytes text, PublicKey public_key, AskPassphrase ask)
      : path_(std::move(path)), text_(std::move(text)), public_key_(std::move(public_key)), ask_(std::move(ask)) {}

  const PublicKey& public_key() const override { return public_key_; }

  /// Asks up to three times, as ssh. kAuth if there is nobody to ask or the passphrase stays wrong.
  Result<std::vector<uint8_t>> sign(std::string_view algorithm, Bytes message) const override;

 private:
  Result<void> open() const;

  std::string path_;
  mutable SecretBytes text_;  // given up when the key is open
  PublicKey public_key_;
  AskPassphrase ask_;
  mutable std::unique_ptr<StoredKey> key_;
};

}  // namespace plumb
