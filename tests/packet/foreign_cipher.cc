#include "tests/packet/foreign_cipher.h"

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>

#include <algorithm>
#include <cstdlib>
#include <type_traits>

#include "tests/ciphers/umac_oracle.h"

namespace plumb::testing {
namespace {

/// libcrypto says 1 for success; a judge that cannot work must not go on.
void must(int ok) {
  if (ok != 1) std::abort();
}

using CipherContext = std::unique_ptr<EVP_CIPHER_CTX, decltype(&EVP_CIPHER_CTX_free)>;

CipherContext new_context() { return {EVP_CIPHER_CTX_new(), EVP_CIPHER_CTX_free}; }

uint32_t be32_at(Bytes bytes) {
  uint32_t v = 0;
  for (size_t i = 0; i < 4; i++) v = v << 8 | bytes[i];
  return v;
}

void update(EVP_CIPHER_CTX* context, MutBytes data) {
  int written = 0;
  must(EVP_CipherUpdate(context, data.data(), &written, data.data(), static_cast<int>(data.size())));
}

/// draft-ietf-sshm-chacha20-poly1305.
class ForeignChaChaPoly final : public Sealer, public Opener {
 public:
  explicit ForeignChaChaPoly(Bytes key) : key_(to_vector(key)) {}

  Framing framing() const noexcept override { return {4, 8, 16, true}; }

  void seal(uint32_t sequence, MutBytes packet, MutBytes tag) noexcept override {
    stream(header_key(), sequence, 0, packet.first(4));
    stream(main_key(), sequence, 1, packet.subspan(4));
    authenticate(sequence, packet, tag);
  }

  uint32_t open_length(uint32_t sequence, MutBytes head) noexcept override {
    std::vector<uint8_t> length = to_vector(head.first(4));
    stream(header_key(), sequence, 0, length);
    return be32_at(length);
  }

  bool open(uint32_t sequence, MutBytes packet, Bytes tag) noexcept override {
    uint8_t expected[16];
    authenticate(sequence, packet, expected);
    if (CRYPTO_memcmp(expected, tag.data(), 16) != 0) return false;
    stream(header_key(), sequence, 0, packet.first(4));
    stream(main_key(), sequence, 1, packet.subspan(4));
    return true;
  }

 private:
  Bytes main_key() const { return Bytes(key_).first(32); }
  Bytes header_key() const { return Bytes(key_).subspan(32); }

  static void stream(Bytes key, uint32_t sequence, uint8_t block, MutBytes data) {
    // libcrypto's IV is the last four state words: here a 64-bit little-endian block counter, then the 8-byte nonce.
    uint8_t iv[16] = {block};
    for (int i = 0; i < 4; i++) iv[12 + i] = static_cast<uint8_t>(sequence >> (24 - 8 * i));
    const CipherContext context = new_context();
    must(EVP_EncryptInit_ex(context.get(), EVP_chacha20(), nullptr, key.data(), iv));
    update(context.get(), data);
  }

  void authenticate(uint32_t sequence, Bytes packet, MutBytes tag) const {
    uint8_t one_time_key[32] = {};
    stream(main_key(), sequence, 0, one_time_key);
    const std::unique_ptr<EVP_MAC, decltype(&EVP_MAC_free)> poly{EVP_MAC_fetch(nullptr, "POLY1305", nullptr),
                                                                 EVP_MAC_free};
    const std::unique_ptr<EVP_MAC_CTX, decltype(&EVP_MAC_CTX_free)> context{EVP_MAC_CTX_new(poly.get()),
                                                                            EVP_MAC_CTX_free};
    size_t written = 0;
    must(EVP_MAC_init(context.get(), one_time_key, sizeof one_time_key, nullptr));
    must(EVP_MAC_update(context.get(), packet.data(), packet.size()));
    must(EVP_MAC_final(context.get(), tag.data(), &written, 16));
  }

  std::vector<uint8_t> key_;
};

/// RFC 5647, draft-miller-sshm-aes-gcm.
class ForeignGcm final : public Sealer, public Opener {
 public:
  ForeignGcm(Bytes key, Bytes iv) : key_(to_vector(key)), nonce_(to_vector(iv)) {}

  Framing framing() const noexcept override { return {4, 16, 16, true}; }

  void seal(uint32_t, MutBytes packet, MutBytes tag) noexcept override {
    const CipherContext context = begin(true, packet.first(4));
    update(context.get(), packet.subspan(4));
    int written = 0;
    must(EVP_CipherFinal_ex(context.get(), packet.data(), &written));
    must(EVP_CIPHER_CTX_ctrl(context.get(), EVP_CTRL_AEAD_GET_TAG, 16, tag.data()));
  }

  uint32_t open_length(uint32_t, MutBytes head) noexcept override { return be32_at(head); }

  bool open(uint32_t, MutBytes packet, Bytes tag) noexcept override {
    const CipherContext context = begin(false, packet.first(4));
    update(context.get(), packet.subspan(4));
    std::vector<uint8_t> expected = to_vector(tag);
    must(EVP_CIPHER_CTX_ctrl(context.get(), EVP_CTRL_AEAD_SET_TAG, 16, expected.data()));
    int written = 0;
    return EVP_CipherFinal_ex(context.get(), packet.data(), &written) == 1;
  }

 private:
  CipherContext begin(bool encrypt, Bytes aad) {
    CipherContext context = new_context();
    const EVP_CIPHER* cipher = key_.size() == 16 ? EVP_aes_128_gcm() : EVP_aes_256_gcm();
    must(EVP_CipherInit_ex(context.get(), cipher, nullptr, key_.data(), nonce_.data(), encrypt ? 1 : 0));
    int written = 0;
    must(EVP_CipherUpdate(context.get(), nullptr, &written, aad.data(), static_cast<int>(aad.size())));
    for (size_t i = 12; i-- > 4;) {
      if (++nonce_[i] != 0) break;
    }
    return context;
  }

  std::vector<uint8_t> key_;
  std::vector<uint8_t> nonce_;
};

/// The MACs by their names. UMAC: OpenSSH PROTOCOL §1.1; libcrypto has only AES of it.
class ForeignMac {
 public:
  ForeignMac(std::string_view name, Bytes key) : key_(to_vector(key)), etm_(name.ends_with("-etm@openssh.com")) {
    if (name.starts_with("hmac-sha1")) digest_ = EVP_sha1();
    if (name.starts_with("hmac-sha2-256")) digest_ = EVP_sha256();
    if (name.starts_with("hmac-sha2-512")) digest_ = EVP_sha512();
    size_ = digest_ != nullptr ? static_cast<uint8_t>(EVP_MD_get_size(digest_)) : name.starts_with("umac-64") ? 8 : 16;
  }

  bool etm() const { return etm_; }
  uint8_t size() const { return size_; }

  void compute(uint32_t sequence, Bytes packet, MutBytes out) const {
    std::vector<uint8_t> number;
    for (int shift = 24; shift >= 0; shift -= 8) number.push_back(static_cast<uint8_t>(sequence >> shift));
    if (digest_ == nullptr) {
      number.insert(number.begin(), 4, 0);
      std::ranges::copy(umac_by_the_rfc(size_, key_, number, packet), out.begin());
      return;
    }
    std::vector<uint8_t> input = number;
    input.insert(input.end(), packet.begin(), packet.end());
    unsigned written = 0;
    must(HMAC(digest_, key_.data(), static_cast<int>(key_.size()), input.data(), input.size(), out.data(), &written) !=
         nullptr);
  }

 private:
  std::vector<uint8_t> key_;
  bool etm_;
  const EVP_MD* digest_ = nullptr;
  uint8_t size_;
};

/// AES of a mode that goes on from packet to packet (RFC 4344 §4, RFC 4253 §6.3), with RFC 4253 §6.4 or OpenSSH
/// PROTOCOL §1.7.
class ForeignModeAndMac final : public Sealer, public Opener {
 public:
  ForeignModeAndMac(std::string_view cipher, std::string_view mac, const DirectionKeys& keys, bool encrypt)
      : mac_(mac, keys.mac_key.bytes()), etm_(mac_.etm()) {
    const EVP_CIPHER* const aes = EVP_get_cipherbyname(("aes-" + std::string(cipher.substr(3))).c_str());
    must(EVP_CipherInit_ex(context_.get(), aes, nullptr, keys.key.bytes().data(), keys.iv.bytes().data(), encrypt));
    must(EVP_CIPHER_CTX_set_padding(context_.get(), 0));
  }

  Framing framing() const noexcept override { return {static_cast<uint8_t>(etm_ ? 4 : 16), 16, mac_.size(), etm_}; }

  void seal(uint32_t sequence, MutBytes packet, MutBytes tag) noexcept override {
    if (etm_) {
      update(context_.get(), packet.subspan(4));
      mac_.compute(sequence, packet, tag);
    } else {
      mac_.compute(sequence, packet, tag);
      update(context_.get(), packet);
    }
  }

  uint32_t open_length(uint32_t, MutBytes head) noexcept override {
    if (!etm_) update(context_.get(), head);
    return be32_at(head);
  }

  bool open(uint32_t sequence, MutBytes packet, Bytes tag) noexcept override {
    std::vector<uint8_t> expected(tag.size());
    if (!etm_) update(context_.get(), packet.subspan(16));
    mac_.compute(sequence, packet, expected);
    if (CRYPTO_memcmp(expected.data(), tag.data(), tag.size()) != 0) return false;
    if (etm_) update(context_.get(), packet.subspan(4));
    return true;
  }

 private:
  CipherContext context_ = new_context();
  ForeignMac mac_;
  bool etm_;
};

template <class Side>
std::unique_ptr<Side> make_foreign(const Suite& suite, const DirectionKeys& keys) {
  const std::string_view cipher = suite.cipher->name;
  if (cipher == "chacha20-poly1305@openssh.com") return std::make_unique<ForeignChaChaPoly>(keys.key.bytes());
  if (cipher.ends_with("-gcm@openssh.com")) return std::make_unique<ForeignGcm>(keys.key.bytes(), keys.iv.bytes());
  return std::make_unique<ForeignModeAndMac>(cipher, suite.mac->name, keys, std::is_same_v<Side, Sealer>);
}

}  // namespace

std::unique_ptr<Sealer> make_foreign_sealer(const Suite& suite, const DirectionKeys& keys) {
  return make_foreign<Sealer>(suite, keys);
}

std::unique_ptr<Opener> make_foreign_opener(const Suite& suite, const DirectionKeys& keys) {
  return make_foreign<Opener>(suite, keys);
}

std::vector<uint8_t> sealed_by(Sealer& sealer, uint32_t sequence, Bytes packet) {
  std::vector<uint8_t> wire = to_vector(packet);
  wire.resize(packet.size() + sealer.framing().tag);
  sealer.seal(sequence, MutBytes(wire).first(packet.size()), MutBytes(wire).subspan(packet.size()));
  return wire;
}

}  // namespace plumb::testing
