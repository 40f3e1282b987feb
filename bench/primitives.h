// The raw primitives that packets are made of, each as a Sealer: a stream cipher changes the packet behind its length
// field and has no tag; an authenticator leaves the packet alone and writes a tag over what stands behind the length.
#pragma once

#include <memory>
#include <span>
#include <string_view>
#include <utility>

#include "ciphers/kernels.h"
#include "ciphers/mac/hash.h"
#include "core/secret.h"
#include "packet/packet_cipher.h"

namespace plumb {

struct Primitive {
  enum class Kind : uint8_t { kAesCtr, kAesCtrPerBlock, kChaCha20, kPoly1305, kHmac };

  std::string_view name;  ///< "aes256-ctr"
  Kind kind;
  uint8_t key_size;
  uint8_t tag_size;  ///< 0 for a stream cipher
  HashId hash;       ///< of kHmac

  /// The kernel that would do it out of `kernels`.
  const char* kernel_name(const KernelSet& kernels) const;
};

/// kAesCtrPerBlock is the cipher driven 16 bytes at a call, as a library does that knows only blocks.
std::span<const Primitive> primitives();

/// Fixed keys and a fixed first counter, the same for all who do one primitive.
SecretBytes primitive_key(const Primitive& primitive);
SecretBytes primitive_iv();

/// Ours, out of `kernels`.
std::unique_ptr<Sealer> our_primitive(const Primitive& primitive, const KernelSet& kernels);

/// A Sealer out of one function of (sequence number, the bytes behind the length field, tag).
template <class Function>
class RawSealer final : public Sealer {
 public:
  RawSealer(uint8_t tag_size, Function function) : tag_size_(tag_size), function_(std::move(function)) {}
  Framing framing() const noexcept override { return {kLengthField, 16, tag_size_, true}; }
  void seal(uint32_t sequence, MutBytes packet, MutBytes tag) noexcept override {
    function_(sequence, packet.subspan(kLengthField), tag);
  }

 private:
  uint8_t tag_size_;
  Function function_;
};

template <class Function>
std::unique_ptr<Sealer> raw_sealer(const Primitive& primitive, Function function) {
  return std::make_unique<RawSealer<Function>>(primitive.tag_size, std::move(function));
}

/// The same, handed one block at a time.
template <class Function>
std::unique_ptr<Sealer> per_block_sealer(const Primitive& primitive, Function function) {
  return raw_sealer(primitive,
                    [function = std::move(function)](uint32_t sequence, MutBytes data, MutBytes tag) mutable {
                      for (size_t i = 0; i < data.size(); i += 16) function(sequence, data.subspan(i, 16), tag);
                    });
}

}  // namespace plumb
