// AES-CTR with HMAC-SHA2-256 over what it made (encrypt-then-MAC, OpenSSH PROTOCOL §1.7), one packet in one pass.
//
//   sealing   AES runs two SHA blocks ahead of the hash, which reads what AES wrote
//   opening   the hash reads each block just before AES decrypts it, so that a forged packet is decrypted, and wiped
#pragma once

#include "ciphers/aes/aes_ctr.h"
#include "ciphers/etm/ctr_sha256_kernel.h"
#include "ciphers/kernels.h"
#include "ciphers/mac/hmac.h"
#include "ciphers/mac/sha_state.h"
#include "core/bytes.h"

namespace plumb {

/// What the pass needs beside the stream and the MAC that it is to continue: they are passed in, since they also serve
/// packets that do not come this way.
class CtrSha256 {
 public:
  static constexpr size_t kMacSize = 32;

  /// `key` is that of the AES-CTR stream: 16, 24 or 32 bytes.
  CtrSha256(Bytes key, const KernelSet& kernels);
  CtrSha256(const CtrSha256&) = delete;
  CtrSha256& operator=(const CtrSha256&) = delete;
  ~CtrSha256();

  /// Whether this CPU gains from it for a packet of `size` bytes under this MAC. Where not, `seal` and `open` abort.
  bool gains(const Hmac& hmac, size_t size) const;

  /// Encrypts `packet` behind its first four bytes, which stay in the clear, a multiple of 16, and writes the MAC of
  /// `head` (four bytes) and the packet then.
  void seal(AesCtr& ctr, const Hmac& hmac, Bytes head, MutBytes packet, MutBytes mac) const noexcept;

  /// The reverse. Compares in constant time; if `mac` is wrong, the packet is wiped and the result false.
  [[nodiscard]] bool open(AesCtr& ctr, const Hmac& hmac, Bytes head, MutBytes packet, Bytes mac) const noexcept;

 private:
  void absorb(ShaState<uint32_t>& state, const uint8_t* data, size_t blocks) const noexcept;
  void absorb_first(ShaState<uint32_t>& state, Bytes head, Bytes packet) const noexcept;
  void finish(ShaState<uint32_t>& state, const HmacStates<uint32_t>& key, Bytes packet, size_t absorbed,
              MutBytes mac) const noexcept;

  const CtrSha256Kernel& kernel_;
  const Sha256Kernel& sha256_;
  CtrSha256Key key_{};
};

}  // namespace plumb
