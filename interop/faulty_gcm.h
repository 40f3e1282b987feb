// aes128-gcm@openssh.com and aes256-gcm@openssh.com, built wrongly in ways that real implementations did. Sealing only.
#pragma once

#include <array>
#include <memory>

#include "ciphers/gcm/gcm.h"
#include "packet/cipher_suite.h"

namespace plumb {

/// All off: the right construction (RFC 5647 §7.1: the IV's last eight bytes count invocations).
struct GcmRecipe {
  bool nonce_is_sequence = false;      ///< the packet's sequence number where the invocation counter belongs
  bool counter_stands_still = false;   ///< every packet under the first nonce
  bool no_aad = false;                 ///< the length field is not authenticated
  bool padding_counts_length = false;  ///< padded part includes the length field
};

class FaultyGcm final : public Sealer {
 public:
  FaultyGcm(const GcmRecipe& recipe, const DirectionKeys& keys, const KernelSet& kernels);
  Framing framing() const noexcept override;
  void seal(uint32_t sequence, MutBytes packet, MutBytes tag) noexcept override;

 private:
  GcmRecipe recipe_;
  AesGcm gcm_;
  std::array<uint8_t, AesGcm::kNonceSize> nonce_;
};

template <GcmRecipe kRecipe>
std::unique_ptr<Sealer> make_faulty_gcm(const CipherSpec&, const MacSpec*, const DirectionKeys& keys,
                                        const KernelSet& kernels) {
  return std::make_unique<FaultyGcm>(kRecipe, keys, kernels);
}

}  // namespace plumb
