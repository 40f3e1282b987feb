#include "bench/implementations.h"

#include <algorithm>

#include "bench/baselines.h"
#include "core/cpu.h"

namespace plumb {
namespace {

struct Rival {
  const char* name;
  decltype(Implementation::make_sealer) make_sealer;
  decltype(Implementation::make_opener) make_opener;
};

constexpr Rival kRivals[] = {
    {"libcrypto", libcrypto_sealer, libcrypto_opener},
    {"libsodium", libsodium_sealer, libsodium_opener},
};

/// Any keys of the right sizes: how long a cipher takes does not depend on them.
DirectionKeys zero_keys(const CipherSpec& cipher) {
  return {SecretBytes(cipher.iv_size), SecretBytes(cipher.key_size), SecretBytes()};
}

bool has_cipher(const Rival& rival, const CipherSpec& cipher, const MacSpec* mac) {
  DirectionKeys keys = zero_keys(cipher);
  if (mac != nullptr) keys.mac_key = SecretBytes(mac->size);
  return rival.make_sealer(cipher, mac, keys, host_kernels()) != nullptr;
}

}  // namespace

std::vector<Implementation> implementations_of(const CipherSpec& cipher, const MacSpec* mac) {
  std::vector<Implementation> found;
  for (const KernelSet& kernels : all_kernel_sets(host_cpu())) {
    const std::string name = "plumbline " + cipher.kernel_names(kernels, mac);
    const bool known = std::any_of(found.begin(), found.end(), [&](const Implementation& i) { return i.name == name; });
    if (!known) found.push_back({name, true, kernels, make_sealer, make_opener});
  }
  for (const Rival& rival : kRivals) {
    if (has_cipher(rival, cipher, mac)) {
      found.push_back({rival.name, false, host_kernels(), rival.make_sealer, rival.make_opener});
    }
  }
  return found;
}

}  // namespace plumb
