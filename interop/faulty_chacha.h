// chacha20-poly1305@openssh.com with its details built wrongly in ways that real implementations did. Sealing only: a
// round trip with itself would agree, which is how these faults survived their own tests.
#pragma once

#include <array>
#include <memory>

#include "ciphers/chacha20/chacha20.h"
#include "packet/cipher_suite.h"

namespace plumb {

/// How the sequence number becomes a nonce. The right form is eight bytes, big-endian.
enum class NonceForm : uint8_t {
  kBe64,
  kLe64,            ///< eight bytes, little-endian
  kIetf12WithLe32,  ///< RFC 8439's twelve bytes as 0^4 || LE32(seq) || 0^4. The IETF core keeps the first four where
                    ///< the original keeps the upper half of its counter, so the stream is the same as under kLe64
};

/// All off: the right construction.
struct ChaChaRecipe {
  bool keys_swapped = false;  ///< first 32 key bytes for the length, last 32 for the body
  NonceForm nonce = NonceForm::kBe64;
  bool body_from_block_0 = false;      ///< over the block that gave the Poly1305 key
  bool rfc8439_framing = false;        ///< tag over both parts padded to 16, and their lengths
  bool padding_counts_length = false;  ///< padded part includes the length field
  uint32_t sequence_offset = 0;        ///< added to the sequence number
};

class FaultyChaCha final : public Sealer {
 public:
  FaultyChaCha(const ChaChaRecipe& recipe, const DirectionKeys& keys, const KernelSet& kernels);
  Framing framing() const noexcept override;
  void seal(uint32_t sequence, MutBytes packet, MutBytes tag) noexcept override;

 private:
  /// A stream's first block and nonce in the form that ChaCha20 takes.
  struct Start {
    std::array<uint8_t, 8> nonce;
    uint64_t counter;
  };
  Start start(uint32_t sequence, uint32_t block) const noexcept;

  ChaChaRecipe recipe_;
  const KernelSet& kernels_;
  ChaCha20 body_, length_;
};

/// As a hook (session/hooks.h), which is a plain function: the recipe is part of its type.
template <ChaChaRecipe kRecipe>
std::unique_ptr<Sealer> make_faulty_chacha(const CipherSpec&, const MacSpec*, const DirectionKeys& keys,
                                           const KernelSet& kernels) {
  return std::make_unique<FaultyChaCha>(kRecipe, keys, kernels);
}

}  // namespace plumb
