// Keys for private servers and their clients, made by ssh-keygen once per process: RSA takes a while.
#pragma once

#include <filesystem>
#include <string>
#include <tl/expected.hpp>

namespace plumb {

/// The private key file (openssh-key-v1, unencrypted; the public one lies beside it with ".pub") of this process for
/// `purpose` ("host", "client"). `type` is ssh-keygen's, with the size of the curve behind "ecdsa" if it is not 256.
/// Lives as long as the process. The error is a sentence for people.
tl::expected<std::filesystem::path, std::string> key_pair(const std::string& purpose, const std::string& type);

/// Why there is no ssh-keygen here; empty if there is one.
std::string missing_ssh_keygen();

}  // namespace plumb
