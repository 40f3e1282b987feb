// The tables of SHA-256 and SHA-512 kernels.
#include <array>

#include "ciphers/kernels.h"
#include "ciphers/mac/sha_kernel.h"

namespace plumb {
namespace {

constinit const std::array kSha256Kernels = {
#ifndef PLUMB_PORTABLE
    &kSha256Shani,
#endif
    &kSha256Libcrypto,
};

constinit const std::array kSha512Kernels = {
#ifndef PLUMB_PORTABLE
    &kSha512Avx512,
#endif
    &kSha512Libcrypto,
};

}  // namespace

KernelTable<Sha256Kernel> sha256_kernels() { return kSha256Kernels; }
KernelTable<Sha512Kernel> sha512_kernels() { return kSha512Kernels; }

}  // namespace plumb
