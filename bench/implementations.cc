#include "bench/implementations.h"

#include <algorithm>

#include "bench/baselines.h"
#include "bench/primitives.h"
#include "core/cpu.h"

namespace plumb {
namespace {

struct Rival {
  const char* name;
  const char* package;
  std::string (*version)();
  PacketSealerMaker* make_sealer;
  PacketOpenerMaker* make_opener;
  PrimitiveMaker* make_primitive;
};

constexpr Rival kRivals[] = {
    {"libcrypto", "libssl-dev", libcrypto_version, libcrypto_sealer, libcrypto_opener, libcrypto_primitive},
    {"libsodium", "libsodium-dev", libsodium_version, libsodium_sealer, libsodium_opener, libsodium_primitive},
    {"ipsec-mb", "libipsec-mb-dev", ipsec_mb_version, ipsec_mb_sealer, ipsec_mb_opener, ipsec_mb_primitive},
    {"openssh composition", "libssl-dev", libcrypto_version, openssh_sealer, openssh_opener, openssh_primitive},
};

/// Fixed, distinct bytes: `first`, `first` + 1, …
SecretBytes pattern(size_t size, uint8_t first) {
  SecretBytes bytes(size);
  for (size_t i = 0; i < size; i++) bytes.bytes()[i] = static_cast<uint8_t>(first + i);
  return bytes;
}

DirectionKeys fixed_keys(const CipherSpec& cipher, const MacSpec* mac) {
  return {pattern(cipher.iv_size, 0x10), pattern(cipher.key_size, 0x20),
          pattern(mac == nullptr ? 0 : mac->key_size, 0x40)};
}

void add_if_new(std::vector<Implementation>& found, Implementation one) {
  const bool known = std::any_of(found.begin(), found.end(), [&](const auto& i) { return i.name == one.name; });
  if (!known) found.push_back(std::move(one));
}

Suite packet_suite(const CipherSpec& cipher, const MacSpec* mac) {
  Suite suite{std::string(cipher.name), mac == nullptr ? "" : std::string(mac->name), mac == nullptr || mac->etm, {}};
  for (const KernelSet& kernels : all_kernel_sets(host_cpu())) {
    add_if_new(suite.implementations,
               {"plumbline " + cipher.kernel_names(kernels, mac), true,
                [&cipher, mac, kernels] { return make_sealer(cipher, mac, fixed_keys(cipher, mac), kernels); },
                [&cipher, mac, kernels] { return make_opener(cipher, mac, fixed_keys(cipher, mac), kernels); }});
  }
  for (const Rival& rival : kRivals) {
    if (rival.make_sealer(cipher, mac, fixed_keys(cipher, mac)) == nullptr) continue;
    suite.implementations.push_back(
        {rival.name, false, [&rival, &cipher, mac] { return rival.make_sealer(cipher, mac, fixed_keys(cipher, mac)); },
         [&rival, &cipher, mac] { return rival.make_opener(cipher, mac, fixed_keys(cipher, mac)); }});
  }
  return suite;
}

Suite primitive_suite(const Primitive& primitive) {
  Suite suite{std::string("raw ").append(primitive.name), "", true, {}};
  for (const KernelSet& kernels : all_kernel_sets(host_cpu())) {
    add_if_new(suite.implementations, {std::string("plumbline ").append(primitive.kernel_name(kernels)), true,
                                       [&primitive, kernels] { return our_primitive(primitive, kernels); }, nullptr});
  }
  for (const Rival& rival : kRivals) {
    if (rival.make_primitive(primitive) == nullptr) continue;
    suite.implementations.push_back(
        {rival.name, false, [&rival, &primitive] { return rival.make_primitive(primitive); }, nullptr});
  }
  return suite;
}

}  // namespace

std::string Suite::name() const { return mac.empty() ? cipher : cipher + " + " + mac; }

std::vector<Suite> packet_suites() {
  std::vector<Suite> suites;
  for (const CipherSpec& cipher : cipher_specs()) {
    if (cipher.aead) {
      suites.push_back(packet_suite(cipher, nullptr));
      continue;
    }
    for (const MacSpec& mac : mac_specs()) suites.push_back(packet_suite(cipher, &mac));
  }
  return suites;
}

std::vector<Suite> primitive_suites() {
  std::vector<Suite> suites;
  for (const Primitive& primitive : primitives()) suites.push_back(primitive_suite(primitive));
  return suites;
}

std::vector<RivalVersion> rival_versions() {
  std::vector<RivalVersion> versions;
  for (const Rival& rival : kRivals) versions.push_back({rival.name, rival.version(), rival.package});
  return versions;
}

}  // namespace plumb
