#include "bench/primitives.h"

#include <array>

#include "ciphers/aes/aes_ctr.h"
#include "ciphers/chacha20/chacha20.h"
#include "ciphers/mac/hmac.h"
#include "ciphers/mac/sha_kernel.h"
#include "ciphers/poly1305/poly1305.h"
#include "core/endian.h"

namespace plumb {
namespace {

using Kind = Primitive::Kind;

constexpr Primitive kPrimitives[] = {
    {"aes128-ctr", Kind::kAesCtr, 16, 0, {}},
    {"aes256-ctr", Kind::kAesCtr, 32, 0, {}},
    {"aes256-ctr, 16 bytes a call", Kind::kAesCtrPerBlock, 32, 0, {}},
    {"chacha20", Kind::kChaCha20, 32, 0, {}},
    {"poly1305", Kind::kPoly1305, 32, 16, {}},
    {"hmac-sha2-256", Kind::kHmac, 32, 32, HashId::kSha256},
    {"hmac-sha2-512", Kind::kHmac, 64, 64, HashId::kSha512},
};

}  // namespace

const char* Primitive::kernel_name(const KernelSet& kernels) const {
  switch (kind) {
    case Kind::kAesCtr:
    case Kind::kAesCtrPerBlock: return kernels.aes_ctr->name;
    case Kind::kChaCha20: return kernels.chacha20->name;
    case Kind::kPoly1305: return kernels.poly1305->name;
    case Kind::kHmac: return hash == HashId::kSha256 ? kernels.sha256->name : kernels.sha512->name;
  }
  return nullptr;
}

std::span<const Primitive> primitives() { return kPrimitives; }

SecretBytes primitive_key(const Primitive& primitive) {
  SecretBytes key(primitive.key_size);
  for (size_t i = 0; i < key.size(); i++) key.bytes()[i] = static_cast<uint8_t>(0x20 + i);
  return key;
}

SecretBytes primitive_iv() {
  SecretBytes iv(16);
  for (size_t i = 0; i < iv.size(); i++) iv.bytes()[i] = static_cast<uint8_t>(0x10 + i);
  return iv;
}

std::unique_ptr<Sealer> our_primitive(const Primitive& primitive, const KernelSet& kernels) {
  SecretBytes key = primitive_key(primitive);
  switch (primitive.kind) {
    case Kind::kAesCtr:
    case Kind::kAesCtrPerBlock: {
      auto crypt = [ctr = std::make_unique<AesCtr>(key.bytes(), primitive_iv().bytes(), kernels)](
                       uint32_t, MutBytes data, MutBytes) { ctr->crypt(data); };
      if (primitive.kind == Kind::kAesCtrPerBlock) return per_block_sealer(primitive, std::move(crypt));
      return raw_sealer(primitive, std::move(crypt));
    }
    case Kind::kChaCha20:
      return raw_sealer(primitive,
                        [chacha20 = ChaCha20(key.bytes(), kernels)](uint32_t sequence, MutBytes data, MutBytes) {
                          std::array<uint8_t, 8> nonce;
                          store_be64(nonce.data(), sequence);
                          chacha20.crypt(nonce, 1, data);
                        });
    case Kind::kPoly1305:
      return raw_sealer(primitive, [key = std::move(key), kernels](uint32_t, MutBytes data, MutBytes tag) {
        poly1305(kernels, key.bytes(), data, tag);
      });
    case Kind::kHmac:
      return raw_sealer(primitive, [hmac = Hmac(primitive.hash, key.bytes(), kernels)](
                                       uint32_t, MutBytes data, MutBytes tag) { hmac.compute({}, data, tag); });
  }
  return nullptr;
}

}  // namespace plumb
