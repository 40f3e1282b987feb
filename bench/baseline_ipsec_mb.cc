// SSH packet ciphers composed from Intel's multi-buffer library for IPsec: AES-GCM by its direct calls, one per packet;
// AES-CTR, ChaCha20 and Poly1305 by jobs, submitted unchecked, as its fastest interface has it. Its HMAC is made for
// many jobs under way and slow with one, and has no message of two parts, which SSH's MAC needs: left out.
#include <intel-ipsec-mb.h>

#include <cstring>

#include "bench/baselines.h"
#include "ciphers/chacha20/chacha20.h"
#include "core/check.h"
#include "core/ct.h"
#include "core/endian.h"

namespace plumb {
namespace {

/// The library's state, with the code for this CPU chosen. Each cipher has its own, since jobs of one are in order.
class Manager {
 public:
  Manager() : mgr_(alloc_mb_mgr(0)) {
    PLUMB_CHECK(mgr_ != nullptr);
    init_mb_mgr_auto(mgr_.get(), nullptr);
  }

  IMB_MGR* get() const { return mgr_.get(); }

  /// A job that reads and writes `data` in place and neither encrypts nor authenticates yet.
  IMB_JOB* next(uint8_t* data) {
    IMB_JOB* job = IMB_GET_NEXT_JOB(get());
    job->src = data;
    job->dst = data;
    job->cipher_direction = IMB_DIR_ENCRYPT;
    job->chain_order = IMB_ORDER_CIPHER_HASH;
    job->cipher_mode = IMB_CIPHER_NULL;
    job->hash_alg = IMB_AUTH_NULL;
    return job;
  }

  void run() {
    const IMB_JOB* done = IMB_SUBMIT_JOB_NOCHECK(get());
    if (done == nullptr) done = IMB_FLUSH_JOB(get());
    PLUMB_CHECK(done != nullptr && done->status == IMB_STATUS_COMPLETED);
  }

 private:
  struct Free {
    void operator()(IMB_MGR* mgr) const { free_mb_mgr(mgr); }
  };
  std::unique_ptr<IMB_MGR, Free> mgr_;
};

/// IETF's nonce of 12 bytes whose first four continue the counter: SSH's 64-bit counter below 2^32, and its nonce.
struct ChaChaNonce {
  explicit ChaChaNonce(uint32_t sequence) {
    store_be32(bytes, 0);
    store_be64(bytes + 4, sequence);
  }
  uint8_t bytes[12];
};

/// ChaCha20 from block 1 on: the library's jobs always start there.
void ask_chacha20(IMB_JOB* job, const uint8_t* key, const ChaChaNonce& nonce, size_t offset, size_t size) {
  job->cipher_mode = IMB_CIPHER_CHACHA20;
  job->enc_keys = key;
  job->dec_keys = key;
  job->key_len_in_bytes = 32;
  job->iv = nonce.bytes;
  job->iv_len_in_bytes = sizeof nonce.bytes;
  job->cipher_start_src_offset_in_bytes = offset;
  job->dst = job->dst + offset;
  job->msg_len_to_cipher_in_bytes = size;
}

void ask_poly1305(IMB_JOB* job, const uint8_t* key, size_t size, uint8_t* tag) {
  job->hash_alg = IMB_AUTH_POLY1305;
  job->u.POLY1305._key = key;
  job->hash_start_src_offset_in_bytes = 0;
  job->msg_len_to_hash_in_bytes = size;
  job->auth_tag_output = tag;
  job->auth_tag_output_len_in_bytes = 16;
}

constexpr Framing kChaChaFraming{4, 8, 16, true};

/// chacha20-poly1305@openssh.com. Jobs cannot reach block 0. The Poly1305 key is what the library's RFC 8439 calls make
/// of it; the length mask, which they would clamp as a Poly1305 key, comes from our portable ChaCha20, which for one
/// block is faster than a job.
class ChaChaPoly {
 public:
  explicit ChaChaPoly(Bytes key) : key_(key), length_cipher_(key.subspan(32), select_kernels({})) {}

  void crypt_length(const ChaChaNonce& nonce, uint8_t* length) {
    length_cipher_.crypt({nonce.bytes + 4, 8}, 0, {length, kLengthField});
  }

  void seal(uint32_t sequence, MutBytes packet, uint8_t* tag) {
    const ChaChaNonce nonce(sequence);
    crypt_length(nonce, packet.data());
    const uint8_t* poly_key = make_poly_key(nonce);
    IMB_JOB* job = mgr_.next(packet.data());
    ask_chacha20(job, key_.bytes().data(), nonce, kLengthField, packet.size() - kLengthField);
    ask_poly1305(job, poly_key, packet.size(), tag);
    mgr_.run();
  }

  bool open(uint32_t sequence, MutBytes packet, Bytes tag) {
    const ChaChaNonce nonce(sequence);
    uint8_t expected[16];
    const uint8_t* poly_key = make_poly_key(nonce);
    ask_poly1305(mgr_.next(packet.data()), poly_key, packet.size(), expected);
    mgr_.run();
    if (!ct_equal(expected, tag)) return false;
    crypt_length(nonce, packet.data());
    ask_chacha20(mgr_.next(packet.data()), key_.bytes().data(), nonce, kLengthField, packet.size() - kLengthField);
    mgr_.run();
    return true;
  }

 private:
  const uint8_t* make_poly_key(const ChaChaNonce& nonce) {
    IMB_CHACHA20_POLY1305_INIT(mgr_.get(), key_.bytes().data(), &context_, nonce.bytes, nullptr, 0);
    return context_.poly_key;
  }

  Manager mgr_;
  SecretBytes key_;
  ChaCha20 length_cipher_;
  alignas(16) chacha20_poly1305_context_data context_;
};

class ChaChaPolySealer final : public Sealer {
 public:
  explicit ChaChaPolySealer(Bytes key) : cipher_(key) {}
  Framing framing() const noexcept override { return kChaChaFraming; }
  void seal(uint32_t sequence, MutBytes packet, MutBytes tag) noexcept override {
    cipher_.seal(sequence, packet, tag.data());
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
    cipher_.crypt_length(ChaChaNonce(sequence), length);
    return load_be32(length);
  }
  bool open(uint32_t sequence, MutBytes packet, Bytes tag) noexcept override {
    return cipher_.open(sequence, packet, tag);
  }

 private:
  ChaChaPoly cipher_;
};

constexpr Framing kGcmFraming{4, 16, 16, true};

class Gcm {
 public:
  Gcm(const CipherSpec& spec, const DirectionKeys& keys) {
    const uint8_t* key = keys.key.bytes().data();
    if (spec.key_size == 16) {
      IMB_AES128_GCM_PRE(mgr_.get(), key, &key_);
      encrypt_ = mgr_.get()->gcm128_enc;
      decrypt_ = mgr_.get()->gcm128_dec;
    } else {
      IMB_AES256_GCM_PRE(mgr_.get(), key, &key_);
      encrypt_ = mgr_.get()->gcm256_enc;
      decrypt_ = mgr_.get()->gcm256_dec;
    }
    const uint8_t* iv = keys.iv.bytes().data();
    for (size_t i = 0; i < kNonces; i++) {
      std::memcpy(nonces_[i], iv, 12);
      store_be64(nonces_[i] + 4, load_be64(iv + 4) + i);
    }
  }

  void seal(MutBytes packet, uint8_t* tag) { run(encrypt_, packet, tag); }
  void open(MutBytes packet, uint8_t* tag) { run(decrypt_, packet, tag); }

 private:
  void run(aes_gcm_enc_dec_t call, MutBytes packet, uint8_t* tag) {
    uint8_t* body = packet.data() + kLengthField;
    uint8_t* nonce = nonces_[next_++ % kNonces];
    call(&key_, &context_, body, body, packet.size() - kLengthField, nonce, packet.data(), kLengthField, tag, 16);
    store_be64(nonce + 4, load_be64(nonce + 4) + kNonces);
  }

  // The library loads a nonce whole, which waits for a store of part of it just before. So they are written ahead.
  static constexpr size_t kNonces = 8;

  Manager mgr_;
  alignas(64) gcm_key_data key_;
  alignas(64) gcm_context_data context_;
  aes_gcm_enc_dec_t encrypt_;
  aes_gcm_enc_dec_t decrypt_;
  alignas(16) uint8_t nonces_[kNonces][16];
  size_t next_ = 0;
};

class GcmSealer final : public Sealer {
 public:
  GcmSealer(const CipherSpec& spec, const DirectionKeys& keys) : gcm_(spec, keys) {}
  Framing framing() const noexcept override { return kGcmFraming; }
  void seal(uint32_t, MutBytes packet, MutBytes tag) noexcept override { gcm_.seal(packet, tag.data()); }

 private:
  Gcm gcm_;
};

class GcmOpener final : public Opener {
 public:
  GcmOpener(const CipherSpec& spec, const DirectionKeys& keys) : gcm_(spec, keys) {}
  Framing framing() const noexcept override { return kGcmFraming; }
  uint32_t open_length(uint32_t, MutBytes head) noexcept override { return load_be32(head.data()); }
  bool open(uint32_t, MutBytes packet, Bytes tag) noexcept override {
    uint8_t expected[16];
    gcm_.open(packet, expected);
    return ct_equal(expected, tag);
  }

 private:
  Gcm gcm_;
};

/// AES-CTR whose counter runs on from call to call.
class Ctr {
 public:
  Ctr(Bytes key, Bytes iv) : key_size_(key.size()) {
    alignas(16) uint8_t unused[15 * 16];
    if (key.size() == 16) {
      IMB_AES_KEYEXP_128(mgr_.get(), key.data(), key_, unused);
    } else {
      IMB_AES_KEYEXP_256(mgr_.get(), key.data(), key_, unused);
    }
    std::memcpy(counter_, iv.data(), sizeof counter_);
  }

  void crypt(MutBytes data) {
    IMB_JOB* job = mgr_.next(data.data());
    job->cipher_mode = IMB_CIPHER_CNTR;
    job->enc_keys = key_;
    job->dec_keys = key_;
    job->key_len_in_bytes = key_size_;
    job->iv = counter_;
    job->iv_len_in_bytes = sizeof counter_;
    job->cipher_start_src_offset_in_bytes = 0;
    job->msg_len_to_cipher_in_bytes = data.size();
    mgr_.run();
    const uint64_t low = load_be64(counter_ + 8) + data.size() / 16;
    if (low < data.size() / 16) store_be64(counter_, load_be64(counter_) + 1);
    store_be64(counter_ + 8, low);
  }

 private:
  Manager mgr_;
  size_t key_size_;
  alignas(16) uint8_t key_[15 * 16];
  uint8_t counter_[16];
};

}  // namespace

std::unique_ptr<Sealer> ipsec_mb_sealer(const CipherSpec& cipher, const MacSpec* mac, const DirectionKeys& keys) {
  if (mac != nullptr) return nullptr;
  if (cipher.block == 8) return std::make_unique<ChaChaPolySealer>(keys.key.bytes());
  return std::make_unique<GcmSealer>(cipher, keys);
}

std::unique_ptr<Opener> ipsec_mb_opener(const CipherSpec& cipher, const MacSpec* mac, const DirectionKeys& keys) {
  if (mac != nullptr) return nullptr;
  if (cipher.block == 8) return std::make_unique<ChaChaPolyOpener>(keys.key.bytes());
  return std::make_unique<GcmOpener>(cipher, keys);
}

std::unique_ptr<Sealer> ipsec_mb_primitive(const Primitive& primitive) {
  SecretBytes key = primitive_key(primitive);
  switch (primitive.kind) {
    case Primitive::Kind::kAesCtr:
    case Primitive::Kind::kAesCtrPerBlock: {
      auto crypt = [ctr = std::make_unique<Ctr>(key.bytes(), primitive_iv().bytes())](uint32_t, MutBytes data,
                                                                                      MutBytes) { ctr->crypt(data); };
      if (primitive.kind == Primitive::Kind::kAesCtrPerBlock) return per_block_sealer(primitive, std::move(crypt));
      return raw_sealer(primitive, std::move(crypt));
    }
    case Primitive::Kind::kChaCha20:
      return raw_sealer(primitive,
                        [mgr = Manager(), key = std::move(key)](uint32_t sequence, MutBytes data, MutBytes) mutable {
                          const ChaChaNonce nonce(sequence);
                          ask_chacha20(mgr.next(data.data()), key.bytes().data(), nonce, 0, data.size());
                          mgr.run();
                        });
    case Primitive::Kind::kPoly1305:
      return raw_sealer(primitive,
                        [mgr = Manager(), key = std::move(key)](uint32_t, MutBytes data, MutBytes tag) mutable {
                          ask_poly1305(mgr.next(data.data()), key.bytes().data(), data.size(), tag.data());
                          mgr.run();
                        });
    case Primitive::Kind::kHmac: return nullptr;
  }
  return nullptr;
}

std::string ipsec_mb_version() { return imb_get_version_str(); }

}  // namespace plumb
