#include "keys/private_key.h"

#include "keys/ed25519.h"

namespace plumb {

std::unique_ptr<PrivateKey> generate_ed25519(RandomSource& random) {
  SecretArray<kEd25519SeedSize> seed;
  random.fill(seed.bytes());
  return ed25519_from_seed(seed.bytes());
}

std::unique_ptr<PrivateKey> ed25519_from_seed(Bytes seed) { return std::make_unique<Ed25519PrivateKey>(seed); }

}  // namespace plumb
