// The ciphers of encrypted key files, a table: what `ssh-keygen -Z` takes.
#pragma once

#include <span>
#include <string_view>

#include "core/bytes.h"
#include "core/result.h"

namespace plumb {

struct KeyFileCipher {
  std::string_view name;
  size_t key_size;
  size_t iv_size;
  size_t block_size;  ///< what the private section is padded to
  size_t tag_size;    ///< of an AEAD, whose tag stands behind the private section's string; 0 for others

  /// In place. `key` and `iv` are of the sizes above and serve once; `tag` is of tag_size.
  void (*encrypt)(Bytes key, Bytes iv, MutBytes data, MutBytes tag);

  /// Whether the tag was right; true where there is none.
  bool (*decrypt)(Bytes key, Bytes iv, MutBytes data, Bytes tag);
};

/// Without "none".
std::span<const KeyFileCipher> key_file_ciphers();

/// nullptr if unknown.
const KeyFileCipher* find_key_file_cipher(std::string_view name);

/// AES in CBC mode (aes_cbc_openssl.cc), which key files alone still use. `data` is a multiple of 16 bytes.
void aes_cbc_encrypt(Bytes key, Bytes iv, MutBytes data);
void aes_cbc_decrypt(Bytes key, Bytes iv, MutBytes data);

}  // namespace plumb
