// THE table of packet ciphers and MACs. A new cipher is one folder under ciphers/, one *_packet file here, one line in
// cipher_suite.cc and one vector file; negotiation, tests, benches, the interop matrix and `--help` iterate the table.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "ciphers/kernels.h"
#include "ciphers/mac/hash.h"
#include "core/secret.h"
#include "packet/packet_cipher.h"

namespace plumb {

struct MacSpec {
  std::string_view name;       ///< "hmac-sha2-256-etm@openssh.com"
  std::optional<HashId> hash;  ///< of an HMAC; none: it is UMAC
  uint8_t key_size;            ///< bytes; of an HMAC as many as its MAC's (RFC 4253 §6.4, RFC 6668)
  uint8_t size;                ///< of the MAC, bytes
  bool etm;                    ///< encrypt-then-MAC (OpenSSH PROTOCOL §1.7)
  bool legacy = false;         ///< for old servers: offered only where it is asked for
};

/// Key material of one direction: sizes as the specs ask (RFC 4253 §7.2 letters A/B, C/D, E/F).
struct DirectionKeys {
  SecretBytes iv;
  SecretBytes key;
  SecretBytes mac_key;
};

struct CipherSpec {
  std::string_view name;  ///< "chacha20-poly1305@openssh.com"
  uint8_t key_size;       ///< bytes
  uint8_t iv_size;        ///< bytes, 0 if the sequence number is the nonce
  uint8_t block;          ///< bytes; also decides the rekey limit (key_limits.h)
  bool aead;              ///< no MAC is negotiated with it
  bool legacy = false;    ///< for old servers: offered only where it is asked for
  std::unique_ptr<Sealer> (*make_sealer)(const DirectionKeys&, const MacSpec*, const KernelSet&);
  std::unique_ptr<Opener> (*make_opener)(const DirectionKeys&, const MacSpec*, const KernelSet&);

  /// The names of the kernels that this cipher, with this MAC, would use out of `kernels`: "avx2+ifma". For reports.
  std::string (*kernel_names)(const KernelSet& kernels, const MacSpec* mac);
};

/// In our order of preference.
std::span<const CipherSpec> cipher_specs();
std::span<const MacSpec> mac_specs();

/// nullptr if the name is not in the table. "none" is not: it cannot be negotiated.
const CipherSpec* find_cipher(std::string_view name);
const MacSpec* find_mac(std::string_view name);

/// `mac` is null exactly when `cipher.aead`; wrong key sizes abort.
std::unique_ptr<Sealer> make_sealer(const CipherSpec& cipher, const MacSpec* mac, const DirectionKeys& keys,
                                    const KernelSet& kernels);
std::unique_ptr<Opener> make_opener(const CipherSpec& cipher, const MacSpec* mac, const DirectionKeys& keys,
                                    const KernelSet& kernels);

/// The cipher "none" that every connection starts with.
std::unique_ptr<Sealer> make_null_sealer();
std::unique_ptr<Opener> make_null_opener();

}  // namespace plumb
