// The rivals, behind the same interface as our packet ciphers. Each takes the arguments of plumb::make_sealer and gives
// null for a cipher that its library lacks. Contexts and keys are set up once, as a careful user of the library would.
#pragma once

#include <memory>

#include "packet/cipher_suite.h"

namespace plumb {

std::unique_ptr<Sealer> libcrypto_sealer(const CipherSpec&, const MacSpec*, const DirectionKeys&, const KernelSet&);
std::unique_ptr<Opener> libcrypto_opener(const CipherSpec&, const MacSpec*, const DirectionKeys&, const KernelSet&);
std::unique_ptr<Sealer> libsodium_sealer(const CipherSpec&, const MacSpec*, const DirectionKeys&, const KernelSet&);
std::unique_ptr<Opener> libsodium_opener(const CipherSpec&, const MacSpec*, const DirectionKeys&, const KernelSet&);

}  // namespace plumb
