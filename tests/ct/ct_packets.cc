#include <memory>
#include <string>

#include "core/check.h"
#include "packet/cipher_suite.h"
#include "tests/ct/ct_subjects.h"

namespace plumb::ct {
namespace {

/// The IV is no secret: it must be unique (NIST SP 800-38A §6.5, SP 800-38D §8), so kernels may branch on its carry.
DirectionKeys secret_keys(const CipherSpec& cipher, const MacSpec* mac) {
  return {SecretBytes(size_t{cipher.iv_size}), SecretBytes(secret_bytes(cipher.key_size)),
          SecretBytes(secret_bytes(mac == nullptr ? 0 : mac->key_size))};
}

DirectionKeys clone(const DirectionKeys& keys) { return {keys.iv.clone(), keys.key.clone(), keys.mac_key.clone()}; }

void check_suite(const CipherSpec& cipher, const MacSpec* mac, const KernelSet& kernels) {
  const DirectionKeys keys = secret_keys(cipher, mac);
  const DirectionKeys same = clone(keys);
  const std::unique_ptr<Sealer> sealer = make_sealer(cipher, mac, keys, kernels);
  const std::unique_ptr<Opener> opener = make_opener(cipher, mac, same, kernels);
  const Framing framing = sealer->framing();
  for (uint32_t sequence = 0; sequence < 4; sequence++) {
    // A length that fits every framing: a whole number of 16-byte blocks, with or without the length field.
    const size_t size = (framing.length_is_aad ? 4 : 0) + 16 * (2 + 40 * sequence);
    auto packet = secret_bytes(size);
    std::vector<uint8_t> tag(framing.tag);
    // The length itself is public where it travels in the clear.
    if (framing.length_is_aad) make_public(Bytes(packet).first(4));
    sealer->seal(sequence, packet, tag);
    make_public(packet);
    make_public(tag);
    uint32_t length = opener->open_length(sequence, MutBytes(packet).first(framing.head));
    ct_public(&length, sizeof length);
    const bool last = sequence == 3;
    if (last) tag[0] ^= 1;
    PLUMB_CHECK(opener->open(sequence, packet, tag) != last);
  }
}

}  // namespace

void run_packets() {
  for (const KernelSet& kernels : all_kernel_sets(host_cpu())) {
    announce(to_string(kernels));
    for (const CipherSpec& cipher : cipher_specs()) {
      if (cipher.aead) {
        announce(cipher.name);
        check_suite(cipher, nullptr, kernels);
        continue;
      }
      for (const MacSpec& mac : mac_specs()) {
        announce(std::string(cipher.name) + " " + std::string(mac.name));
        check_suite(cipher, &mac, kernels);
      }
    }
  }
}

}  // namespace plumb::ct
