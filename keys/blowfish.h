// Blowfish with the expensive key schedule of bcrypt (Provos, Mazières: A Future-Adaptable Password Scheme, 1999). The
// derivation of keys from passphrases alone needs it; nothing is encrypted with it.
//
// Its boxes are indexed by secrets, as the algorithm has it: a neighbour on the same core might learn something of the
// passphrase by watching the cache. No implementation of bcrypt is free of that.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "core/bytes.h"

namespace plumb {

inline constexpr size_t kBlowfishSubkeys = 18;
inline constexpr size_t kBlowfishBox = 256;
inline constexpr size_t kBlowfishWords = kBlowfishSubkeys + 4 * kBlowfishBox;
extern const std::array<uint32_t, kBlowfishWords> kBlowfishPi;

class Blowfish {
 public:
  Blowfish() = default;
  Blowfish(const Blowfish&) = delete;
  Blowfish& operator=(const Blowfish&) = delete;
  ~Blowfish();

  /// One pass of the key schedule: `key` into the subkeys, then all words made anew, `salt` mixed in on the way. Both
  /// are read round and round and may not be empty.
  void expand(Bytes salt, Bytes key) noexcept;

  /// The same without a salt.
  void expand(Bytes key) noexcept;

  /// Encrypts pairs of words in place.
  void encrypt(std::span<uint32_t> words) const noexcept;

 private:
  struct Block {
    uint32_t left, right;
  };
  void mix_key(Bytes key) noexcept;
  Block encrypt(Block block) const noexcept;
  uint32_t round(uint32_t x) const noexcept;

  std::array<uint32_t, kBlowfishWords> words_ = kBlowfishPi;
};

}  // namespace plumb
