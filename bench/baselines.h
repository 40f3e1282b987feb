// The rivals, behind the same interface as our packet ciphers. Each gives null for what its library lacks, and for
// everything where the library was not there when this was built; its version is empty then. Contexts and keys are set
// up once, as a careful user of the library would.
#pragma once

#include <memory>
#include <string>

#include "bench/primitives.h"
#include "packet/cipher_suite.h"

namespace plumb {

using PacketSealerMaker = std::unique_ptr<Sealer>(const CipherSpec&, const MacSpec*, const DirectionKeys&);
using PacketOpenerMaker = std::unique_ptr<Opener>(const CipherSpec&, const MacSpec*, const DirectionKeys&);
using PrimitiveMaker = std::unique_ptr<Sealer>(const Primitive&);

PacketSealerMaker libcrypto_sealer;
PacketOpenerMaker libcrypto_opener;
PrimitiveMaker libcrypto_primitive;
std::string libcrypto_version();

PacketSealerMaker libsodium_sealer;
PacketOpenerMaker libsodium_opener;
PrimitiveMaker libsodium_primitive;
std::string libsodium_version();

/// Intel's multi-buffer library, x86-64 only.
PacketSealerMaker ipsec_mb_sealer;
PacketOpenerMaker ipsec_mb_opener;
PrimitiveMaker ipsec_mb_primitive;
std::string ipsec_mb_version();

/// chacha20-poly1305@openssh.com as `ssh` composes it: libcrypto's ChaCha20 and a scalar Poly1305 in C.
PacketSealerMaker openssh_sealer;
PacketOpenerMaker openssh_opener;
PrimitiveMaker openssh_primitive;

}  // namespace plumb
