#include "ciphers/drbg.h"

#include <algorithm>
#include <array>

#include "core/check.h"

namespace plumb {

ChaChaDrbg::ChaChaDrbg(Bytes seed, const KernelSet& kernels) : kernel_(*kernels.chacha20) {
  PLUMB_CHECK(seed.size() == kKeySize);
  std::copy(seed.begin(), seed.end(), pool_.data());
}

ChaChaDrbg::ChaChaDrbg(RandomSource& source, const KernelSet& kernels) : kernel_(*kernels.chacha20) {
  source.fill(pool_.bytes().first(kKeySize));
}

void ChaChaDrbg::fill(MutBytes out) noexcept {
  while (!out.empty()) {
    if (used_ == kPoolSize) refill();
    const MutBytes taken = pool_.bytes().subspan(used_, std::min(out.size(), kPoolSize - used_));
    std::copy(taken.begin(), taken.end(), out.begin());
    wipe(taken);
    used_ += taken.size();
    out = out.subspan(taken.size());
  }
}

void ChaChaDrbg::refill() noexcept {
  SecretArray<kKeySize> key;
  std::copy_n(pool_.data(), kKeySize, key.data());
  constexpr std::array<uint8_t, 8> kNonce{};  // every key makes one pool, so the nonce need not change
  std::array<ChaCha20Block, kPoolSize / 64> blocks;
  for (size_t i = 0; i < blocks.size(); i++) blocks[i] = {key.data(), kNonce.data(), i};
  kernel_.blocks(blocks.data(), blocks.size(), pool_.data());
  used_ = kKeySize;
}

}  // namespace plumb
