// chacha20-poly1305@openssh.com (draft-ietf-sshm-chacha20-poly1305) on EVP_chacha20, whose IV is the 64-bit
// little-endian counter and the nonce, with any Poly1305: the calls that OpenSSH's cipher-chachapoly-libcrypto.c makes
// per packet.
#pragma once

#include <array>
#include <cstring>

#include "bench/evp.h"
#include "core/endian.h"
#include "packet/packet_cipher.h"

namespace plumb {

inline void set_chacha20_nonce(EVP_CIPHER_CTX* ctx, uint32_t sequence, uint64_t counter) {
  uint8_t iv[16];
  store_le64(iv, counter);
  store_be64(iv + 8, sequence);
  PLUMB_CHECK(EVP_CipherInit_ex(ctx, nullptr, nullptr, nullptr, iv, 1) == 1);
}

/// `OneTimeMac` has a member compute(key, message, tag), called with a new 32-byte key for every message.
template <class OneTimeMac>
class EvpChaChaPoly {
 public:
  explicit EvpChaChaPoly(Bytes key)
      : main_(make_cipher(EVP_chacha20(), key.data(), nullptr, true)),
        length_(make_cipher(EVP_chacha20(), key.data() + 32, nullptr, true)) {}

  void crypt_length(uint32_t sequence, uint8_t* length) {
    set_chacha20_nonce(length_.get(), sequence, 0);
    crypt(length_.get(), length, kLengthField);
  }

  void crypt_body(uint32_t sequence, MutBytes packet) {
    set_chacha20_nonce(main_.get(), sequence, 1);
    crypt(main_.get(), packet.data() + kLengthField, packet.size() - kLengthField);
  }

  void compute_tag(uint32_t sequence, Bytes packet, uint8_t* tag) {
    std::array<uint8_t, 32> key{};
    set_chacha20_nonce(main_.get(), sequence, 0);
    crypt(main_.get(), key.data(), key.size());
    mac_.compute(key.data(), packet, tag);
  }

 private:
  CipherCtx main_, length_;
  OneTimeMac mac_;
};

inline constexpr Framing kEvpChaChaFraming{4, 8, 16, true};

template <class OneTimeMac>
class EvpChaChaPolySealer final : public Sealer {
 public:
  explicit EvpChaChaPolySealer(Bytes key) : cipher_(key) {}
  Framing framing() const noexcept override { return kEvpChaChaFraming; }
  void seal(uint32_t sequence, MutBytes packet, MutBytes tag) noexcept override {
    cipher_.crypt_length(sequence, packet.data());
    cipher_.crypt_body(sequence, packet);
    cipher_.compute_tag(sequence, packet, tag.data());
  }

 private:
  EvpChaChaPoly<OneTimeMac> cipher_;
};

template <class OneTimeMac>
class EvpChaChaPolyOpener final : public Opener {
 public:
  explicit EvpChaChaPolyOpener(Bytes key) : cipher_(key) {}
  Framing framing() const noexcept override { return kEvpChaChaFraming; }
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
  EvpChaChaPoly<OneTimeMac> cipher_;
};

}  // namespace plumb
