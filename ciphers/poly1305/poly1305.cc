#include "ciphers/poly1305/poly1305.h"

#include "core/check.h"

namespace plumb {
namespace {

constinit const Poly1305Kernel* const kTable[] = {
#ifndef PLUMB_PORTABLE
    &kPoly1305Ifma,
    &kPoly1305Avx2,
#endif
    &kPoly1305Portable,
};

}  // namespace

KernelTable<Poly1305Kernel> poly1305_kernels() { return kTable; }

void poly1305(const KernelSet& kernels, Bytes key, Bytes message, MutBytes tag) noexcept {
  PLUMB_CHECK(key.size() == 32 && tag.size() == 16);
  kernels.poly1305->tag(key.data(), message.data(), message.size(), tag.data());
}

}  // namespace plumb
