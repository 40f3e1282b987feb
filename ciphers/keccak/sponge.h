// SHA-3 and SHAKE (FIPS 202) for the lattice methods, which hash many short strings: without allocation, one string at
// a time or four in step. libcrypto has the same functions at several times the cost per call.
#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>

#include "ciphers/keccak/keccak_kernel.h"
#include "core/bytes.h"

namespace plumb {

enum class SpongeId : uint8_t { kSha3_256, kSha3_512, kShake128, kShake256 };

/// Bytes per permutation: 136, 72, 168 or 136.
constexpr size_t sponge_rate(SpongeId id) {
  return id == SpongeId::kSha3_512 ? 72 : id == SpongeId::kShake128 ? 168 : 136;
}

/// The hash of all `parts`, joined. `out` is 32 bytes of SHA3-256, 64 of SHA3-512, any number of the SHAKEs.
void sponge(const KeccakKernel& kernel, SpongeId id, std::initializer_list<Bytes> parts, MutBytes out);

/// Four SHAKEs in step, of messages that fit one block. Wiped at the end.
class Shake4 {
 public:
  /// `messages` all have the same size, below the rate.
  Shake4(const KeccakKernel& kernel, SpongeId id, const std::array<Bytes, kKeccakLanes>& messages);
  Shake4(const Shake4&) = delete;
  Shake4& operator=(const Shake4&) = delete;
  ~Shake4();

  /// The next bytes of each, one block: `sponge_rate(id)` bytes at each of `out`.
  void squeeze_block(const std::array<uint8_t*, kKeccakLanes>& out);

 private:
  const KeccakKernel& kernel_;
  const size_t rate_;
  alignas(32) std::array<uint64_t, kKeccakLanes * kKeccakWords> states_{};
};

}  // namespace plumb
