// The text around the bytes of an "openssh-key-v1" file.
#pragma once

#include <string>
#include <string_view>

#include "core/result.h"
#include "core/secret.h"

namespace plumb {

inline constexpr size_t kMaxKeyFileSize = 1 << 20;  ///< as OpenSSH's MAX_KEY_FILE_SIZE

/// Whether the text begins as a PEM private key that is not OpenSSH's own.
bool is_pem_key(std::string_view text);

/// The decoded body between the BEGIN and END lines. What is not such a file is named, in the words that help its
/// owner.
Result<SecretBytes> decode_key_armour(std::string_view text);

/// Lines of 70 characters, as ssh-keygen writes them. Holds what `body` holds: wipe it.
std::string encode_key_armour(Bytes body);

}  // namespace plumb
