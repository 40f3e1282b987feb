// AES-CTR with HMAC, both orders of encryption and MAC, built wrongly in ways that real implementations did. Sealing
// only.
#pragma once

#include <memory>
#include <optional>

#include "ciphers/aes/aes_ctr.h"
#include "ciphers/mac/hmac.h"
#include "packet/cipher_suite.h"

namespace plumb {

/// All off: the right construction (RFC 4344 §4, RFC 4253 §6.4; OpenSSH PROTOCOL §1.7 for encrypt-then-MAC).
struct CtrHmacRecipe {
  bool counter_restarts = false;    ///< at the IV, with every packet
  bool mac_of_other_order = false;  ///< over the plaintext under encrypt-then-MAC, over the ciphertext without it
  bool mac_without_sequence = false;
  bool mac_key_20_bytes = false;        ///< HMAC-SHA1's key size for every MAC
  bool padding_of_other_order = false;  ///< counts the length field under encrypt-then-MAC, leaves it out without
};

class FaultyCtrHmac final : public Sealer {
 public:
  FaultyCtrHmac(const CtrHmacRecipe& recipe, const MacSpec& mac, const DirectionKeys& keys, const KernelSet& kernels);
  Framing framing() const noexcept override;
  void seal(uint32_t sequence, MutBytes packet, MutBytes tag) noexcept override;

 private:
  CtrHmacRecipe recipe_;
  MacSpec mac_;
  SecretBytes key_, iv_;
  const KernelSet& kernels_;
  std::optional<AesCtr> ctr_;
  Hmac hmac_;
};

template <CtrHmacRecipe kRecipe>
std::unique_ptr<Sealer> make_faulty_ctr_hmac(const CipherSpec&, const MacSpec* mac, const DirectionKeys& keys,
                                             const KernelSet& kernels) {
  return std::make_unique<FaultyCtrHmac>(kRecipe, *mac, keys, kernels);
}

}  // namespace plumb
