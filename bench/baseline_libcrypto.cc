// SSH packet ciphers composed from libcrypto's EVP calls, as an SSH implementation on top of it does.
#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/params.h>

#include <array>
#include <cstring>
#include <string>

#include "bench/baselines.h"
#include "core/check.h"
#include "core/endian.h"
#include "packet/padding.h"

namespace plumb {
namespace {

struct CipherFree {
  void operator()(EVP_CIPHER_CTX* ctx) const { EVP_CIPHER_CTX_free(ctx); }
};
struct MacFree {
  void operator()(EVP_MAC_CTX* ctx) const { EVP_MAC_CTX_free(ctx); }
};
using CipherCtx = std::unique_ptr<EVP_CIPHER_CTX, CipherFree>;
using MacCtx = std::unique_ptr<EVP_MAC_CTX, MacFree>;

CipherCtx make_cipher(const EVP_CIPHER* cipher, const uint8_t* key, const uint8_t* iv, bool encrypt) {
  CipherCtx ctx(EVP_CIPHER_CTX_new());
  PLUMB_CHECK(EVP_CipherInit_ex(ctx.get(), cipher, nullptr, key, iv, encrypt ? 1 : 0) == 1);
  return ctx;
}

void crypt(EVP_CIPHER_CTX* ctx, uint8_t* data, size_t size) {
  int written = 0;
  PLUMB_CHECK(EVP_CipherUpdate(ctx, data, &written, data, static_cast<int>(size)) == 1);
}

MacCtx make_mac(const char* name, const char* digest, Bytes key) {
  EVP_MAC* mac = EVP_MAC_fetch(nullptr, name, nullptr);
  PLUMB_CHECK(mac != nullptr);
  MacCtx ctx(EVP_MAC_CTX_new(mac));
  EVP_MAC_free(mac);
  if (digest == nullptr) return ctx;
  std::string digest_name = digest;
  const OSSL_PARAM params[] = {OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_DIGEST, digest_name.data(), 0),
                               OSSL_PARAM_construct_end()};
  PLUMB_CHECK(EVP_MAC_init(ctx.get(), key.data(), key.size(), params) == 1);
  return ctx;
}

const char* digest_name(HashId hash) {
  switch (hash) {
    case HashId::kSha1: return "SHA1";
    case HashId::kSha256: return "SHA256";
    case HashId::kSha384: return "SHA384";
    case HashId::kSha512: return "SHA512";
  }
  return nullptr;
}

/// draft-ietf-sshm-chacha20-poly1305 on EVP_chacha20, whose IV is the 64-bit little-endian counter and the nonce.
class ChaChaPoly {
 public:
  explicit ChaChaPoly(Bytes key)
      : main_(make_cipher(EVP_chacha20(), key.data(), nullptr, true)),
        length_(make_cipher(EVP_chacha20(), key.data() + 32, nullptr, true)),
        poly_(make_mac("POLY1305", nullptr, {})) {}

  void crypt_length(uint32_t sequence, uint8_t* length) {
    set_nonce(length_.get(), sequence, 0);
    crypt(length_.get(), length, kLengthField);
  }

  void crypt_body(uint32_t sequence, MutBytes packet) {
    set_nonce(main_.get(), sequence, 1);
    crypt(main_.get(), packet.data() + kLengthField, packet.size() - kLengthField);
  }

  void compute_tag(uint32_t sequence, Bytes packet, uint8_t* tag) {
    std::array<uint8_t, 32> key{};
    set_nonce(main_.get(), sequence, 0);
    crypt(main_.get(), key.data(), key.size());
    size_t written = 0;
    PLUMB_CHECK(EVP_MAC_init(poly_.get(), key.data(), key.size(), nullptr) == 1);
    PLUMB_CHECK(EVP_MAC_update(poly_.get(), packet.data(), packet.size()) == 1);
    PLUMB_CHECK(EVP_MAC_final(poly_.get(), tag, &written, 16) == 1);
  }

 private:
  static void set_nonce(EVP_CIPHER_CTX* ctx, uint32_t sequence, uint64_t counter) {
    uint8_t iv[16];
    store_le64(iv, counter);
    store_be64(iv + 8, sequence);
    PLUMB_CHECK(EVP_CipherInit_ex(ctx, nullptr, nullptr, nullptr, iv, 1) == 1);
  }

  CipherCtx main_, length_;
  MacCtx poly_;
};

constexpr Framing kChaChaFraming{4, 8, 16, true};

class ChaChaPolySealer final : public Sealer {
 public:
  explicit ChaChaPolySealer(Bytes key) : cipher_(key) {}
  Framing framing() const noexcept override { return kChaChaFraming; }
  void seal(uint32_t sequence, MutBytes packet, MutBytes tag) noexcept override {
    cipher_.crypt_length(sequence, packet.data());
    cipher_.crypt_body(sequence, packet);
    cipher_.compute_tag(sequence, packet, tag.data());
  }

 private:
  ChaChaPoly cipher_;
};

class ChaChaPolyOpener final : public Opener {
 public:
  explicit ChaChaPolyOpener(Bytes key) : cipher_(key) {}
  Framing framing() const noexcept override { return kChaChaFraming; }
  uint32_t open_length(uint32_t sequence, MutBytes head) noexcept override {
    uint8_t length[kLengthField];
    std::memcpy(length, head.data(), kLengthField);
    cipher_.crypt_length(sequence, length);
    return load_be32(length);
  }
  bool open(uint32_t sequence, MutBytes packet, Bytes tag) noexcept override {
    uint8_t expected[16];
    cipher_.compute_tag(sequence, packet, expected);
    if (CRYPTO_memcmp(expected, tag.data(), sizeof expected) != 0) return false;
    cipher_.crypt_length(sequence, packet.data());
    cipher_.crypt_body(sequence, packet);
    return true;
  }

 private:
  ChaChaPoly cipher_;
};

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

/// AES-CTR with HMAC, in both orders.
class CtrHmac {
 public:
  CtrHmac(const CipherSpec& spec, const MacSpec& mac, const DirectionKeys& keys)
      : mac_spec_(mac),
        ctr_(make_cipher(spec.key_size == 16   ? EVP_aes_128_ctr()
                         : spec.key_size == 24 ? EVP_aes_192_ctr()
                                               : EVP_aes_256_ctr(),
                         keys.key.bytes().data(), keys.iv.bytes().data(), true)),
        hmac_(make_mac("HMAC", digest_name(mac.hash), keys.mac_key.bytes())) {}

  Framing framing() const { return {static_cast<uint8_t>(mac_spec_.etm ? 4 : 16), 16, mac_spec_.size, mac_spec_.etm}; }
  bool etm() const { return mac_spec_.etm; }
  size_t clear() const { return mac_spec_.etm ? kLengthField : 0; }  ///< leading bytes that are not encrypted

  void crypt_bytes(MutBytes data) { crypt(ctr_.get(), data.data(), data.size()); }

  void compute_mac(uint32_t sequence, Bytes packet, uint8_t* mac) {
    uint8_t head[4];
    store_be32(head, sequence);
    size_t written = 0;
    PLUMB_CHECK(EVP_MAC_init(hmac_.get(), nullptr, 0, nullptr) == 1);
    PLUMB_CHECK(EVP_MAC_update(hmac_.get(), head, sizeof head) == 1);
    PLUMB_CHECK(EVP_MAC_update(hmac_.get(), packet.data(), packet.size()) == 1);
    PLUMB_CHECK(EVP_MAC_final(hmac_.get(), mac, &written, mac_spec_.size) == 1);
  }

  bool check_mac(uint32_t sequence, Bytes packet, Bytes mac) {
    uint8_t expected[kMaxHashSize];
    compute_mac(sequence, packet, expected);
    return CRYPTO_memcmp(expected, mac.data(), mac.size()) == 0;
  }

 private:
  const MacSpec& mac_spec_;
  CipherCtx ctr_;
  MacCtx hmac_;
};

class CtrHmacSealer final : public Sealer {
 public:
  CtrHmacSealer(const CipherSpec& spec, const MacSpec& mac, const DirectionKeys& keys) : cipher_(spec, mac, keys) {}
  Framing framing() const noexcept override { return cipher_.framing(); }
  void seal(uint32_t sequence, MutBytes packet, MutBytes tag) noexcept override {
    if (!cipher_.etm()) cipher_.compute_mac(sequence, packet, tag.data());
    cipher_.crypt_bytes(packet.subspan(cipher_.clear()));
    if (cipher_.etm()) cipher_.compute_mac(sequence, packet, tag.data());
  }

 private:
  CtrHmac cipher_;
};

class CtrHmacOpener final : public Opener {
 public:
  CtrHmacOpener(const CipherSpec& spec, const MacSpec& mac, const DirectionKeys& keys) : cipher_(spec, mac, keys) {}
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
  CtrHmac cipher_;
};

}  // namespace

std::unique_ptr<Sealer> libcrypto_sealer(const CipherSpec& cipher, const MacSpec* mac, const DirectionKeys& keys,
                                         const KernelSet&) {
  if (mac != nullptr) return std::make_unique<CtrHmacSealer>(cipher, *mac, keys);
  if (cipher.block == 8) return std::make_unique<ChaChaPolySealer>(keys.key.bytes());
  return std::make_unique<GcmSealer>(cipher, keys);
}

std::unique_ptr<Opener> libcrypto_opener(const CipherSpec& cipher, const MacSpec* mac, const DirectionKeys& keys,
                                         const KernelSet&) {
  if (mac != nullptr) return std::make_unique<CtrHmacOpener>(cipher, *mac, keys);
  if (cipher.block == 8) return std::make_unique<ChaChaPolyOpener>(keys.key.bytes());
  return std::make_unique<GcmOpener>(cipher, keys);
}

}  // namespace plumb
