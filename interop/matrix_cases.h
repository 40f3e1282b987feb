// The cases of the interop matrix: what one peer offers and we have too, each algorithm named in turn.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "kex/proposal.h"

namespace plumb {

struct MatrixCase {
  enum class Kind : uint8_t {
    kKex,          ///< a key exchange method with a host key algorithm
    kUserKey,      ///< a signature algorithm of the user
    kCipher,       ///< a cipher, with a MAC unless it is an AEAD
    kRekeyByUs,    ///< keys renewed while data flows, under a cipher of each construction
    kRekeyByPeer,  ///< the same, begun by the peer
  };
  Kind kind = Kind::kKex;
  // All that may be agreed: nothing else is offered. `mac` is empty with an AEAD.
  std::string kex, host_key, cipher, mac, user_key;

  /// "kex/curve25519-sha256/ssh-ed25519", "user-key/rsa-sha2-512", "cipher/aes128-ctr/hmac-sha2-256", "rekey-by-us/…":
  /// unique within one peer's role, and what expectations match.
  std::string name() const;

  bool rekeys() const { return kind == Kind::kRekeyByUs || kind == Kind::kRekeyByPeer; }

  /// How many bytes are sent, and expected back. Renewing keys needs many times the limit that it is done at.
  size_t data_size() const { return rekeys() ? 1024 * 1024 : 300 * 1024; }
};

std::string_view to_string(MatrixCase::Kind kind);

/// Those names of `theirs` that our tables hold, in our order. Whoever has a signature algorithm for hosts has it for
/// users: KEXINIT says nothing of those.
struct Common {
  NameList kex, host_keys, certificates, ciphers, macs;
};
Common common_algorithms(const Proposal& theirs);

/// Empty if some list has nothing in common: then nothing can be agreed.
std::vector<MatrixCase> matrix_cases(const Common& common, bool peer_rekeys);

}  // namespace plumb
