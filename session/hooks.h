// The seams where interop plants faults, to see what a real peer says of them. All null in production: then the session
// calls the real functions.
#pragma once

#include <memory>

#include "kex/derive.h"
#include "kex/kem.h"
#include "packet/cipher_suite.h"

namespace plumb {

struct ProtocolHooks {
  std::unique_ptr<Sealer> (*make_sealer)(const CipherSpec&, const MacSpec*, const DirectionKeys&,
                                         const KernelSet&) = nullptr;
  std::unique_ptr<Opener> (*make_opener)(const CipherSpec&, const MacSpec*, const DirectionKeys&,
                                         const KernelSet&) = nullptr;
  SecretBytes (*encode_k)(const SharedSecret&) = nullptr;
  SecretBytes (*derive_key)(HashId hash, Bytes k, Bytes exchange_hash, char letter, Bytes session_id,
                            size_t size) = nullptr;
};

}  // namespace plumb
