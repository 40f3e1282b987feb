// Private keys in PEM: what OpenSSL and older ssh-keygens write. Read by libcrypto, believed by nobody: the numbers go
// through the same checks as those of our own format.
#pragma once

#include "keys/key_file.h"

namespace plumb {

/// PKCS#8 (plain and encrypted), PKCS#1 and SEC1. As `parse_key_file`.
Result<KeyFile> parse_pem_key(std::string_view text, std::optional<Bytes> passphrase);

Result<KeyFileOutline> outline_pem_key(std::string_view text);

}  // namespace plumb
