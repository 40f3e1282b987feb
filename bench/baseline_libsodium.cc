// SSH packet ciphers composed from libsodium: chacha20-poly1305@openssh.com from its stream and one-time
// authenticator, aes256-gcm where its hardware implementation is there. It has no AES-CTR and no AES-128.
#include <sodium.h>

#include <cstring>

#include "bench/baselines.h"
#include "core/check.h"
#include "core/endian.h"
#include "packet/padding.h"

namespace plumb {
namespace {

constexpr Framing kChaChaFraming{4, 8, 16, true};

/// Nonce of a sequence number: eight bytes, big-endian.
struct Nonce {
  explicit Nonce(uint32_t sequence) { store_be64(bytes, sequence); }
  uint8_t bytes[8];
};

void one_time_key(const uint8_t* main_key, const Nonce& nonce, uint8_t* key) {
  crypto_stream_chacha20(key, 32, nonce.bytes, main_key);
}

void crypt_body(const uint8_t* main_key, const Nonce& nonce, MutBytes packet) {
  uint8_t* body = packet.data() + kLengthField;
  crypto_stream_chacha20_xor_ic(body, body, packet.size() - kLengthField, nonce.bytes, 1, main_key);
}

class ChaChaPolySealer final : public Sealer {
 public:
  explicit ChaChaPolySealer(Bytes key) : key_(key) {}
  Framing framing() const noexcept override { return kChaChaFraming; }
  void seal(uint32_t sequence, MutBytes packet, MutBytes tag) noexcept override {
    const uint8_t* main_key = key_.bytes().data();
    const Nonce nonce(sequence);
    uint8_t poly_key[32];
    one_time_key(main_key, nonce, poly_key);
    crypto_stream_chacha20_xor(packet.data(), packet.data(), kLengthField, nonce.bytes, main_key + 32);
    crypt_body(main_key, nonce, packet);
    crypto_onetimeauth(tag.data(), packet.data(), packet.size(), poly_key);
  }

 private:
  SecretBytes key_;
};

class ChaChaPolyOpener final : public Opener {
 public:
  explicit ChaChaPolyOpener(Bytes key) : key_(key) {}
  Framing framing() const noexcept override { return kChaChaFraming; }
  uint32_t open_length(uint32_t sequence, MutBytes head) noexcept override {
    uint8_t length[kLengthField];
    crypto_stream_chacha20_xor(length, head.data(), kLengthField, Nonce(sequence).bytes, key_.bytes().data() + 32);
    return load_be32(length);
  }
  bool open(uint32_t sequence, MutBytes packet, Bytes tag) noexcept override {
    const uint8_t* main_key = key_.bytes().data();
    const Nonce nonce(sequence);
    uint8_t poly_key[32];
    one_time_key(main_key, nonce, poly_key);
    if (crypto_onetimeauth_verify(tag.data(), packet.data(), packet.size(), poly_key) != 0) return false;
    crypto_stream_chacha20_xor(packet.data(), packet.data(), kLengthField, nonce.bytes, main_key + 32);
    crypt_body(main_key, nonce, packet);
    return true;
  }

 private:
  SecretBytes key_;
};

constexpr Framing kGcmFraming{4, 16, 16, true};

/// A key with its schedule, and the nonce that counts invocations (RFC 5647 §7.1).
class Gcm {
 public:
  explicit Gcm(const DirectionKeys& keys) {
    PLUMB_CHECK(crypto_aead_aes256gcm_beforenm(&state_, keys.key.bytes().data()) == 0);
    std::memcpy(nonce_, keys.iv.bytes().data(), sizeof nonce_);
  }
  ~Gcm() { sodium_memzero(&state_, sizeof state_); }

  const crypto_aead_aes256gcm_state* state() const { return &state_; }
  const uint8_t* nonce() const { return nonce_; }
  void advance() { store_be64(nonce_ + 4, load_be64(nonce_ + 4) + 1); }

 private:
  crypto_aead_aes256gcm_state state_;
  uint8_t nonce_[12];
};

class GcmSealer final : public Sealer {
 public:
  explicit GcmSealer(const DirectionKeys& keys) : gcm_(keys) {}
  Framing framing() const noexcept override { return kGcmFraming; }
  void seal(uint32_t, MutBytes packet, MutBytes tag) noexcept override {
    uint8_t* body = packet.data() + kLengthField;
    crypto_aead_aes256gcm_encrypt_detached_afternm(body, tag.data(), nullptr, body, packet.size() - kLengthField,
                                                   packet.data(), kLengthField, nullptr, gcm_.nonce(), gcm_.state());
    gcm_.advance();
  }

 private:
  Gcm gcm_;
};

class GcmOpener final : public Opener {
 public:
  explicit GcmOpener(const DirectionKeys& keys) : gcm_(keys) {}
  Framing framing() const noexcept override { return kGcmFraming; }
  uint32_t open_length(uint32_t, MutBytes head) noexcept override { return load_be32(head.data()); }
  bool open(uint32_t, MutBytes packet, Bytes tag) noexcept override {
    uint8_t* body = packet.data() + kLengthField;
    const int failed =
        crypto_aead_aes256gcm_decrypt_detached_afternm(body, nullptr, body, packet.size() - kLengthField, tag.data(),
                                                       packet.data(), kLengthField, gcm_.nonce(), gcm_.state());
    gcm_.advance();
    return failed == 0;
  }

 private:
  Gcm gcm_;
};

bool has_gcm(const CipherSpec& cipher) { return cipher.key_size == 32 && crypto_aead_aes256gcm_is_available() == 1; }

}  // namespace

std::unique_ptr<Sealer> libsodium_sealer(const CipherSpec& cipher, const MacSpec* mac, const DirectionKeys& keys) {
  PLUMB_CHECK(sodium_init() >= 0);
  if (mac != nullptr) return nullptr;
  if (cipher.block == 8) return std::make_unique<ChaChaPolySealer>(keys.key.bytes());
  return has_gcm(cipher) ? std::make_unique<GcmSealer>(keys) : nullptr;
}

std::unique_ptr<Opener> libsodium_opener(const CipherSpec& cipher, const MacSpec* mac, const DirectionKeys& keys) {
  PLUMB_CHECK(sodium_init() >= 0);
  if (mac != nullptr) return nullptr;
  if (cipher.block == 8) return std::make_unique<ChaChaPolyOpener>(keys.key.bytes());
  return has_gcm(cipher) ? std::make_unique<GcmOpener>(keys) : nullptr;
}

std::unique_ptr<Sealer> libsodium_primitive(const Primitive& primitive) {
  PLUMB_CHECK(sodium_init() >= 0);
  SecretBytes key = primitive_key(primitive);
  if (primitive.kind == Primitive::Kind::kChaCha20) {
    return raw_sealer(primitive, [key = std::move(key)](uint32_t sequence, MutBytes data, MutBytes) {
      const Nonce nonce(sequence);
      crypto_stream_chacha20_xor_ic(data.data(), data.data(), data.size(), nonce.bytes, 1, key.bytes().data());
    });
  }
  if (primitive.kind == Primitive::Kind::kPoly1305) {
    return raw_sealer(primitive, [key = std::move(key)](uint32_t, MutBytes data, MutBytes tag) {
      crypto_onetimeauth(tag.data(), data.data(), data.size(), key.bytes().data());
    });
  }
  return nullptr;
}

std::string libsodium_version() { return sodium_version_string(); }

}  // namespace plumb
