#include "packet/cipher_suite.h"

#include <algorithm>

#include "core/check.h"
#include "packet/cbc_packet.h"
#include "packet/chachapoly_packet.h"
#include "packet/ctr_packet.h"
#include "packet/gcm_packet.h"
#include "packet/null_packet.h"

namespace plumb {
namespace {

// Order: OpenSSH 10's default. The first hides packet lengths and is fast and constant-time on a CPU without AES
// instructions too, which a static list cannot know of; AEAD before MAC constructions; AES-128 before AES-256, since
// both are out of reach and the former is faster. Users who know their CPU put aes128-gcm first with `-c`.
constexpr CipherSpec kCiphers[] = {
    {.name = "chacha20-poly1305@openssh.com",
     .key_size = 64,
     .iv_size = 0,
     .block = 8,
     .aead = true,
     .make_sealer = make_chachapoly_sealer,
     .make_opener = make_chachapoly_opener,
     .kernel_names = chachapoly_kernel_names},
    {.name = "aes128-gcm@openssh.com",
     .key_size = 16,
     .iv_size = 12,
     .block = 16,
     .aead = true,
     .make_sealer = make_gcm_sealer,
     .make_opener = make_gcm_opener,
     .kernel_names = gcm_kernel_names},
    {.name = "aes256-gcm@openssh.com",
     .key_size = 32,
     .iv_size = 12,
     .block = 16,
     .aead = true,
     .make_sealer = make_gcm_sealer,
     .make_opener = make_gcm_opener,
     .kernel_names = gcm_kernel_names},
    {.name = "aes128-ctr",
     .key_size = 16,
     .iv_size = 16,
     .block = 16,
     .aead = false,
     .make_sealer = make_ctr_sealer,
     .make_opener = make_ctr_opener,
     .kernel_names = ctr_kernel_names},
    {.name = "aes192-ctr",
     .key_size = 24,
     .iv_size = 16,
     .block = 16,
     .aead = false,
     .make_sealer = make_ctr_sealer,
     .make_opener = make_ctr_opener,
     .kernel_names = ctr_kernel_names},
    {.name = "aes256-ctr",
     .key_size = 32,
     .iv_size = 16,
     .block = 16,
     .aead = false,
     .make_sealer = make_ctr_sealer,
     .make_opener = make_ctr_opener,
     .kernel_names = ctr_kernel_names},
    {.name = "aes128-cbc",
     .key_size = 16,
     .iv_size = 16,
     .block = 16,
     .aead = false,
     .legacy = true,
     .make_sealer = make_cbc_sealer,
     .make_opener = make_cbc_opener,
     .kernel_names = cbc_kernel_names},
    {.name = "aes192-cbc",
     .key_size = 24,
     .iv_size = 16,
     .block = 16,
     .aead = false,
     .legacy = true,
     .make_sealer = make_cbc_sealer,
     .make_opener = make_cbc_opener,
     .kernel_names = cbc_kernel_names},
    {.name = "aes256-cbc",
     .key_size = 32,
     .iv_size = 16,
     .block = 16,
     .aead = false,
     .legacy = true,
     .make_sealer = make_cbc_sealer,
     .make_opener = make_cbc_opener,
     .kernel_names = cbc_kernel_names},
};

// Order: encrypt-then-MAC first, since nothing acts on what a forged packet decrypts to. UMAC behind HMAC, unlike
// OpenSSH: it is for servers that offer nothing else (docs/decisions.md).
constexpr MacSpec kMacs[] = {
    {.name = "hmac-sha2-256-etm@openssh.com", .hash = HashId::kSha256, .key_size = 32, .size = 32, .etm = true},
    {.name = "hmac-sha2-512-etm@openssh.com", .hash = HashId::kSha512, .key_size = 64, .size = 64, .etm = true},
    {.name = "umac-128-etm@openssh.com", .hash = {}, .key_size = 16, .size = 16, .etm = true},
    {.name = "umac-64-etm@openssh.com", .hash = {}, .key_size = 16, .size = 8, .etm = true},
    {.name = "hmac-sha2-256", .hash = HashId::kSha256, .key_size = 32, .size = 32, .etm = false},
    {.name = "hmac-sha2-512", .hash = HashId::kSha512, .key_size = 64, .size = 64, .etm = false},
    {.name = "umac-128@openssh.com", .hash = {}, .key_size = 16, .size = 16, .etm = false},
    {.name = "umac-64@openssh.com", .hash = {}, .key_size = 16, .size = 8, .etm = false},
    {.name = "hmac-sha1-etm@openssh.com",
     .hash = HashId::kSha1,
     .key_size = 20,
     .size = 20,
     .etm = true,
     .legacy = true},
    {.name = "hmac-sha1", .hash = HashId::kSha1, .key_size = 20, .size = 20, .etm = false, .legacy = true},
};

template <class Spec>
const Spec* find(std::span<const Spec> specs, std::string_view name) {
  const auto found = std::ranges::find(specs, name, &Spec::name);
  return found == specs.end() ? nullptr : &*found;
}

void check_keys(const CipherSpec& cipher, const MacSpec* mac, const DirectionKeys& keys) {
  PLUMB_CHECK(cipher.aead == (mac == nullptr));
  PLUMB_CHECK(keys.key.size() == cipher.key_size);
  PLUMB_CHECK(keys.iv.size() == cipher.iv_size);
  PLUMB_CHECK(keys.mac_key.size() == (mac == nullptr ? 0 : mac->key_size));
}

}  // namespace

std::span<const CipherSpec> cipher_specs() { return kCiphers; }
std::span<const MacSpec> mac_specs() { return kMacs; }

const CipherSpec* find_cipher(std::string_view name) { return find(cipher_specs(), name); }
const MacSpec* find_mac(std::string_view name) { return find(mac_specs(), name); }

std::unique_ptr<Sealer> make_sealer(const CipherSpec& cipher, const MacSpec* mac, const DirectionKeys& keys,
                                    const KernelSet& kernels) {
  check_keys(cipher, mac, keys);
  return cipher.make_sealer(keys, mac, kernels);
}

std::unique_ptr<Opener> make_opener(const CipherSpec& cipher, const MacSpec* mac, const DirectionKeys& keys,
                                    const KernelSet& kernels) {
  check_keys(cipher, mac, keys);
  return cipher.make_opener(keys, mac, kernels);
}

std::unique_ptr<Sealer> make_null_sealer() { return std::make_unique<NullSealer>(); }
std::unique_ptr<Opener> make_null_opener() { return std::make_unique<NullOpener>(); }

}  // namespace plumb
