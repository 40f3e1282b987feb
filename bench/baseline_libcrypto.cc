// SSH packet ciphers composed from libcrypto's EVP calls, as an SSH implementation on top of it does.
#include <cstring>
#include <string>

#include "bench/baselines.h"
#include "bench/evp.h"
#include "bench/evp_chachapoly.h"
#include "core/endian.h"

namespace plumb {
namespace {

/// libcrypto's Poly1305, a MAC that is keyed anew for every message.
class EvpPoly1305 {
 public:
  void compute(const uint8_t* key, Bytes message, uint8_t* tag) {
    size_t written = 0;
    PLUMB_CHECK(EVP_MAC_init(ctx_.get(), key, 32, nullptr) == 1);
    PLUMB_CHECK(EVP_MAC_update(ctx_.get(), message.data(), message.size()) == 1);
    PLUMB_CHECK(EVP_MAC_final(ctx_.get(), tag, &written, 16) == 1);
  }

 private:
  MacCtx ctx_ = make_mac("POLY1305", nullptr, {});
};

const char* digest_name(HashId hash) {
  switch (hash) {
    case HashId::kSha1: return "SHA1";
    case HashId::kSha256: return "SHA256";
    case HashId::kSha384: return "SHA384";
    case HashId::kSha512: return "SHA512";
  }
  return nullptr;
}

constexpr Framing kGcmFraming{4, 16, 16, true};

/// AES-GCM with the invocation counter in the last eight bytes of the nonce (RFC 5647 §7.1).
class Gcm {
 public:
  Gcm(const CipherSpec& spec, const DirectionKeys& keys, bool encrypt)
      : ctx_(make_cipher(spec.key_size == 16 ? EVP_aes_128_gcm() : EVP_aes_256_gcm(), keys.key.bytes().data(), nullptr,
                         encrypt)) {
    std::memcpy(nonce_, keys.iv.bytes().data(), sizeof nonce_);
  }

  EVP_CIPHER_CTX* next() {
    PLUMB_CHECK(EVP_CipherInit_ex(ctx_.get(), nullptr, nullptr, nullptr, nonce_, -1) == 1);
    store_be64(nonce_ + 4, load_be64(nonce_ + 4) + 1);
    return ctx_.get();
  }

 private:
  CipherCtx ctx_;
  uint8_t nonce_[12];
};

void add_length(EVP_CIPHER_CTX* ctx, Bytes packet) {
  int written = 0;
  PLUMB_CHECK(EVP_CipherUpdate(ctx, nullptr, &written, packet.data(), kLengthField) == 1);
}

class GcmSealer final : public Sealer {
 public:
  GcmSealer(const CipherSpec& spec, const DirectionKeys& keys) : gcm_(spec, keys, true) {}
  Framing framing() const noexcept override { return kGcmFraming; }
  void seal(uint32_t, MutBytes packet, MutBytes tag) noexcept override {
    EVP_CIPHER_CTX* ctx = gcm_.next();
    add_length(ctx, packet);
    crypt(ctx, packet.data() + kLengthField, packet.size() - kLengthField);
    int written = 0;
    PLUMB_CHECK(EVP_CipherFinal_ex(ctx, packet.data(), &written) == 1);
    PLUMB_CHECK(EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_AEAD_GET_TAG, 16, tag.data()) == 1);
  }

 private:
  Gcm gcm_;
};

class GcmOpener final : public Opener {
 public:
  GcmOpener(const CipherSpec& spec, const DirectionKeys& keys) : gcm_(spec, keys, false) {}
  Framing framing() const noexcept override { return kGcmFraming; }
  uint32_t open_length(uint32_t, MutBytes head) noexcept override { return load_be32(head.data()); }
  bool open(uint32_t, MutBytes packet, Bytes tag) noexcept override {
    EVP_CIPHER_CTX* ctx = gcm_.next();
    add_length(ctx, packet);
    crypt(ctx, packet.data() + kLengthField, packet.size() - kLengthField);
    PLUMB_CHECK(EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_AEAD_SET_TAG, 16, const_cast<uint8_t*>(tag.data())) == 1);
    int written = 0;
    return EVP_CipherFinal_ex(ctx, packet.data(), &written) == 1;
  }

 private:
  Gcm gcm_;
};

/// With the key that `ctx` was given when it was made.
void compute_hmac(EVP_MAC_CTX* ctx, Bytes head, Bytes body, MutBytes mac) {
  size_t written = 0;
  PLUMB_CHECK(EVP_MAC_init(ctx, nullptr, 0, nullptr) == 1);
  if (!head.empty()) PLUMB_CHECK(EVP_MAC_update(ctx, head.data(), head.size()) == 1);
  PLUMB_CHECK(EVP_MAC_update(ctx, body.data(), body.size()) == 1);
  PLUMB_CHECK(EVP_MAC_final(ctx, mac.data(), &written, mac.size()) == 1);
}

/// "aes128-cbc" of SSH is libcrypto's "aes-128-cbc".
const EVP_CIPHER* aes_by_name(std::string_view ssh_name) {
  std::string name(ssh_name);
  name.insert(3, "-");
  const EVP_CIPHER* cipher = EVP_get_cipherbyname(name.c_str());
  PLUMB_CHECK(cipher != nullptr);
  return cipher;
}

/// AES-CTR or AES-CBC with HMAC, in both orders.
class AesHmac {
 public:
  AesHmac(const CipherSpec& spec, const MacSpec& mac, const DirectionKeys& keys, bool encrypt)
      : mac_spec_(mac),
        aes_(make_cipher(aes_by_name(spec.name), keys.key.bytes().data(), keys.iv.bytes().data(), encrypt)),
        hmac_(make_mac("HMAC", digest_name(*mac.hash), keys.mac_key.bytes())) {
    EVP_CIPHER_CTX_set_padding(aes_.get(), 0);
  }

  Framing framing() const { return {static_cast<uint8_t>(mac_spec_.etm ? 4 : 16), 16, mac_spec_.size, mac_spec_.etm}; }
  bool etm() const { return mac_spec_.etm; }
  size_t clear() const { return mac_spec_.etm ? kLengthField : 0; }  ///< leading bytes that are not encrypted

  void crypt_bytes(MutBytes data) { crypt(aes_.get(), data.data(), data.size()); }

  void compute_mac(uint32_t sequence, Bytes packet, uint8_t* mac) {
    uint8_t head[4];
    store_be32(head, sequence);
    compute_hmac(hmac_.get(), head, packet, {mac, mac_spec_.size});
  }

  bool check_mac(uint32_t sequence, Bytes packet, Bytes mac) {
    uint8_t expected[kMaxHashSize];
    compute_mac(sequence, packet, expected);
    return CRYPTO_memcmp(expected, mac.data(), mac.size()) == 0;
  }

 private:
  const MacSpec& mac_spec_;
  CipherCtx aes_;
  MacCtx hmac_;
};

class AesHmacSealer final : public Sealer {
 public:
  AesHmacSealer(const CipherSpec& spec, const MacSpec& mac, const DirectionKeys& keys)
      : cipher_(spec, mac, keys, true) {}
  Framing framing() const noexcept override { return cipher_.framing(); }
  void seal(uint32_t sequence, MutBytes packet, MutBytes tag) noexcept override {
    if (!cipher_.etm()) cipher_.compute_mac(sequence, packet, tag.data());
    cipher_.crypt_bytes(packet.subspan(cipher_.clear()));
    if (cipher_.etm()) cipher_.compute_mac(sequence, packet, tag.data());
  }

 private:
  AesHmac cipher_;
};

class AesHmacOpener final : public Opener {
 public:
  AesHmacOpener(const CipherSpec& spec, const MacSpec& mac, const DirectionKeys& keys)
      : cipher_(spec, mac, keys, false) {}
  Framing framing() const noexcept override { return cipher_.framing(); }
  uint32_t open_length(uint32_t, MutBytes head) noexcept override {
    if (!cipher_.etm()) cipher_.crypt_bytes(head);
    return load_be32(head.data());
  }
  bool open(uint32_t sequence, MutBytes packet, Bytes tag) noexcept override {
    if (cipher_.etm() && !cipher_.check_mac(sequence, packet, tag)) return false;
    cipher_.crypt_bytes(packet.subspan(cipher_.etm() ? kLengthField : cipher_.framing().head));
    return cipher_.etm() || cipher_.check_mac(sequence, packet, tag);
  }

 private:
  AesHmac cipher_;
};

/// libcrypto has no UMAC.
bool has_mac(const MacSpec& mac) { return mac.hash.has_value(); }

}  // namespace

std::unique_ptr<Sealer> libcrypto_sealer(const CipherSpec& cipher, const MacSpec* mac, const DirectionKeys& keys) {
  if (mac != nullptr && !has_mac(*mac)) return nullptr;
  if (mac != nullptr) return std::make_unique<AesHmacSealer>(cipher, *mac, keys);
  if (cipher.block == 8) return std::make_unique<EvpChaChaPolySealer<EvpPoly1305>>(keys.key.bytes());
  return std::make_unique<GcmSealer>(cipher, keys);
}

std::unique_ptr<Opener> libcrypto_opener(const CipherSpec& cipher, const MacSpec* mac, const DirectionKeys& keys) {
  if (mac != nullptr && !has_mac(*mac)) return nullptr;
  if (mac != nullptr) return std::make_unique<AesHmacOpener>(cipher, *mac, keys);
  if (cipher.block == 8) return std::make_unique<EvpChaChaPolyOpener<EvpPoly1305>>(keys.key.bytes());
  return std::make_unique<GcmOpener>(cipher, keys);
}

std::unique_ptr<Sealer> libcrypto_primitive(const Primitive& primitive) {
  const SecretBytes key = primitive_key(primitive);
  switch (primitive.kind) {
    case Primitive::Kind::kAesCtr:
    case Primitive::Kind::kAesCtrPerBlock: {
      const EVP_CIPHER* cipher = primitive.key_size == 16 ? EVP_aes_128_ctr() : EVP_aes_256_ctr();
      auto one = [ctx = make_cipher(cipher, key.bytes().data(), primitive_iv().bytes().data(), true)](
                     uint32_t, MutBytes data, MutBytes) { crypt(ctx.get(), data.data(), data.size()); };
      if (primitive.kind == Primitive::Kind::kAesCtrPerBlock) return per_block_sealer(primitive, std::move(one));
      return raw_sealer(primitive, std::move(one));
    }
    case Primitive::Kind::kChaCha20:
      return raw_sealer(primitive, [ctx = make_cipher(EVP_chacha20(), key.bytes().data(), nullptr, true)](
                                       uint32_t sequence, MutBytes data, MutBytes) {
        set_chacha20_nonce(ctx.get(), sequence, 1);
        crypt(ctx.get(), data.data(), data.size());
      });
    case Primitive::Kind::kPoly1305:
      return raw_sealer(primitive,
                        [key = key.clone(), poly = EvpPoly1305()](uint32_t, MutBytes data, MutBytes tag) mutable {
                          poly.compute(key.bytes().data(), data, tag.data());
                        });
    case Primitive::Kind::kHmac:
      return raw_sealer(primitive,
                        [ctx = make_mac("HMAC", digest_name(primitive.hash), key.bytes())](
                            uint32_t, MutBytes data, MutBytes tag) { compute_hmac(ctx.get(), {}, data, tag); });
  }
  return nullptr;
}

std::string libcrypto_version() { return OpenSSL_version(OPENSSL_VERSION_STRING); }

}  // namespace plumb
