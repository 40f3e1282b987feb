// UMAC with tags of 8 and 16 bytes (RFC 4418), for messages up to 16 MiB: a universal hash in three layers, hidden by
// AES of the nonce.
//
//   message ─▶ NH of 1024 bytes each ─▶ polynomial modulo 2^64 - 59 ─▶ inner product modulo 2^36 - 5 ─▶ XOR AES(nonce)
//
// A tag of 8 bytes is two such hashes with keys of their own ("streams", of 4 bytes each), one of 16 bytes four.
#pragma once

#include <cstddef>
#include <cstdint>

#include "ciphers/aes/aes_ctr.h"
#include "ciphers/kernels.h"
#include "core/bytes.h"
#include "core/secret.h"

namespace plumb {

/// What the three layers take of the key, in the CPU's byte order. Secret.
struct UmacKey {
  static constexpr size_t kMaxStreams = 4;

  uint32_t nh[256 + 4 * (kMaxStreams - 1)];  ///< stream i's begin at word 4·i: Toeplitz
  uint64_t poly[kMaxStreams];
  uint64_t product[kMaxStreams][4];
  uint32_t mask[kMaxStreams];
};

class Umac {
 public:
  static constexpr size_t kKeySize = 16;
  static constexpr size_t kNonceSize = 8;

  /// Above it RFC 4418 §5.3 goes on with another polynomial.
  static constexpr size_t kMaxMessage = size_t{1} << 24;

  /// `tag_size` is 8 or 16, `key` kKeySize bytes; anything else aborts.
  Umac(size_t tag_size, Bytes key, const KernelSet& kernels);
  Umac(const Umac&) = delete;
  Umac& operator=(const Umac&) = delete;
  ~Umac();

  /// Writes the tag, of the size that was asked for. Two messages under one nonce give the key away. A longer message
  /// than kMaxMessage aborts.
  void compute(Bytes nonce, Bytes message, MutBytes tag) noexcept;

 private:
  void mask_with_nonce(Bytes nonce, MutBytes tag) noexcept;

  size_t tag_size_;
  UmacKey key_;
  AesCtr pad_;  ///< under the key of the PDF; its counter is set to each nonce
};

}  // namespace plumb
