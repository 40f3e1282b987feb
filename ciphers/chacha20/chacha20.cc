#include "ciphers/chacha20/chacha20.h"

#include <algorithm>

#include "core/check.h"

namespace plumb {
namespace {

constinit const ChaCha20Kernel* const kTable[] = {
#ifndef PLUMB_PORTABLE
    &kChaCha20Avx512,
    &kChaCha20Avx2,
    &kChaCha20Ssse3,
#endif
    &kChaCha20Portable,
};

}  // namespace

KernelTable<ChaCha20Kernel> chacha20_kernels() { return kTable; }

ChaCha20::ChaCha20(Bytes key, const KernelSet& kernels) : kernel_(*kernels.chacha20) {
  PLUMB_CHECK(key.size() == 32);
  std::copy(key.begin(), key.end(), key_.data());
}

void ChaCha20::crypt(Bytes nonce, uint64_t counter, MutBytes data) const noexcept {
  PLUMB_CHECK(nonce.size() == 8);
  kernel_.crypt(key_.data(), nonce.data(), counter, data.data(), data.size());
}

}  // namespace plumb
