// How a server tells a client of all its host keys, and proves that they are its own (OpenSSH PROTOCOL §2.5): the
// bodies of hostkeys-00@openssh.com and hostkeys-prove-00@openssh.com.
#pragma once

#include <string_view>
#include <vector>

#include "core/bytes.h"
#include "core/result.h"
#include "keys/private_key.h"
#include "keys/public_key.h"

namespace plumb {

/// More than any server has.
inline constexpr size_t kMaxHostKeys = 64;

/// The body that tells of `keys`: a string for each.
std::vector<uint8_t> write_host_keys(const std::vector<const PrivateKey*>& keys);

/// The keys of such a body that we can use, without `shown`, which needs no proof, and without doubles. kProtocol if
/// malformed, kLimit beyond `kMaxHostKeys`.
Result<std::vector<PublicKey>> parse_host_keys(Bytes body, const PublicKey& shown);

/// The body that asks for proof of `keys`.
std::vector<uint8_t> write_host_keys(const std::vector<PublicKey>& keys);

/// A server's answer to the keys that `asked` lists: a signature by each over the session id. `agreed` is the host key
/// algorithm of the connection: an RSA key signs with it if it can. kProtocol if one is not ours.
Result<std::vector<uint8_t>> prove_host_keys(Bytes asked, const std::vector<const PrivateKey*>& keys, Bytes session_id,
                                             std::string_view agreed);

/// Whether `body` holds a right proof by each of `keys`, in the order in which they were asked for, and nothing else.
bool proves_all(Bytes body, const std::vector<PublicKey>& keys, Bytes session_id);

}  // namespace plumb
