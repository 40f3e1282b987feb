#include <array>

#include "ciphers/aes/aes_ctr.h"
#include "ciphers/chacha20/chacha20.h"
#include "ciphers/chachapoly/ssh_chachapoly.h"
#include "ciphers/drbg.h"
#include "ciphers/gcm/gcm.h"
#include "ciphers/kernels.h"
#include "ciphers/mac/hmac.h"
#include "ciphers/poly1305/poly1305.h"
#include "core/check.h"
#include "tests/ct/ct_subjects.h"

namespace plumb::ct {
namespace {

constexpr size_t kSizes[] = {16, 64, 272, 1024, 4112};

void check_aes_ctr(const KernelSet& kernels) {
  // The counter must be unique, not secret (NIST SP 800-38A §6.5), so kernels may branch on its carry.
  const std::array<uint8_t, 16> iv = {};
  for (size_t key_size : {16, 24, 32}) {
    AesCtr cipher(secret_bytes(key_size), iv, kernels);
    for (size_t size : kSizes) {
      auto data = secret_bytes(size);
      cipher.crypt(data);
    }
  }
}

void check_gcm(const KernelSet& kernels) {
  const std::array<uint8_t, AesGcm::kNonceSize> nonce = {};
  const std::array<uint8_t, 4> aad = {};
  for (size_t key_size : {16, 32}) {
    const AesGcm cipher(secret_bytes(key_size), kernels);
    for (size_t size : kSizes) {
      auto data = secret_bytes(size);
      std::array<uint8_t, AesGcm::kTagSize> tag;
      cipher.seal(nonce, aad, data, tag);
      make_public(data);
      make_public(tag);
      PLUMB_CHECK(cipher.open(nonce, aad, data, tag));
      tag[3] ^= 1;
      PLUMB_CHECK(!cipher.open(nonce, aad, data, tag));
    }
  }
}

void check_chacha20(const KernelSet& kernels) {
  const ChaCha20 cipher(secret_bytes(32), kernels);
  const std::array<uint8_t, 8> nonce = {};
  for (size_t size : kSizes) {
    auto data = secret_bytes(size + 7);
    cipher.crypt(nonce, 1, data);
  }
}

void check_poly1305(const KernelSet& kernels) {
  for (size_t size : kSizes) {
    for (size_t odd : {0, 1, 15}) {
      std::array<uint8_t, 16> tag;
      poly1305(kernels, secret_bytes(32), secret_bytes(size + odd), tag);
    }
  }
}

void check_ssh_chachapoly(const KernelSet& kernels) {
  const auto key = secret_bytes(SshChaChaPoly::kKeySize);
  SshChaChaPoly sealer(key, kernels);
  SshChaChaPoly opener(key, kernels);
  uint32_t sequence = 0;
  for (size_t size : kSizes) {
    auto packet = secret_bytes(size + 4);
    std::array<uint8_t, SshChaChaPoly::kTagSize> tag;
    sealer.seal(sequence, packet, tag);
    make_public(packet);  // it goes over the wire
    make_public(tag);
    uint32_t length = opener.open_length(sequence, Bytes(packet).first(4));
    ct_public(&length, sizeof length);  // it decides how many bytes are waited for
    auto damaged = packet;
    damaged[5] ^= 1;
    PLUMB_CHECK(opener.open(sequence, packet, tag));
    PLUMB_CHECK(!opener.open(sequence, damaged, tag));
    sequence++;
  }
}

void check_drbg(const KernelSet& kernels) {
  ChaChaDrbg drbg(secret_bytes(32), kernels);
  std::array<uint8_t, 3000> out;
  drbg.fill(out);
}

void check_hmac(const KernelSet& kernels) {
  for (HashId id : {HashId::kSha1, HashId::kSha256, HashId::kSha384, HashId::kSha512}) {
    Hmac hmac(id, secret_bytes(hash_size(id)), kernels);
    const std::array<uint8_t, 4> sequence = {};
    for (size_t size : kSizes) {
      std::vector<uint8_t> mac(hash_size(id));
      hmac.compute(sequence, secret_bytes(size), mac);
    }
  }
}

}  // namespace

void run_ciphers() {
  for (const KernelSet& kernels : all_kernel_sets(host_cpu())) {
    announce(to_string(kernels));
    announce("AesCtr");
    check_aes_ctr(kernels);
    announce("AesGcm");
    check_gcm(kernels);
    announce("ChaCha20");
    check_chacha20(kernels);
    announce("poly1305");
    check_poly1305(kernels);
    announce("SshChaChaPoly");
    check_ssh_chachapoly(kernels);
    announce("ChaChaDrbg");
    check_drbg(kernels);
    announce("Hmac");
    check_hmac(kernels);
  }
}

}  // namespace plumb::ct
