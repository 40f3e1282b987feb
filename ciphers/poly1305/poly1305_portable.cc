// The definition of Poly1305 (RFC 8439 §2.5), block by block.
#include "ciphers/poly1305/poly1305_kernel.h"
#include "ciphers/poly1305/poly1305_scalar.h"

namespace plumb {
namespace {

void compute_tag(const uint8_t* key, const uint8_t* message, size_t size, uint8_t* tag) noexcept {
  poly_tag(key, message, size, tag);
}

}  // namespace

constinit const Poly1305Kernel kPoly1305Portable = {.name = "portable", .needs = {}, .tag = compute_tag};

}  // namespace plumb
