// The compression functions of libcrypto, one message at a time: what runs where no kernel of ours does better. Its
// bare hash functions are the only way to them. They are deprecated in OpenSSL 3 in favour of EVP, which allocates and
// dispatches per message, hence the next line.
#define OPENSSL_SUPPRESS_DEPRECATED
#include <openssl/sha.h>

#include <cstring>

#include "ciphers/mac/sha_kernel.h"
#include "core/secret.h"

namespace plumb {
namespace {

// An update takes whole blocks straight through the compression function while nothing is buffered.

void compress_sha1(uint32_t* const* states, const uint8_t* const* data, size_t blocks, size_t count) noexcept {
  SHA_CTX context{};
  for (size_t i = 0; i < count; i++) {
    uint32_t* h = states[i];
    context.h0 = h[0], context.h1 = h[1], context.h2 = h[2], context.h3 = h[3], context.h4 = h[4];
    SHA1_Update(&context, data[i], blocks * SHA_CBLOCK);
    h[0] = context.h0, h[1] = context.h1, h[2] = context.h2, h[3] = context.h3, h[4] = context.h4;
  }
  wipe_object(context);
}

void compress_sha256(uint32_t* const* states, const uint8_t* const* data, size_t blocks, size_t count) noexcept {
  SHA256_CTX context{};
  for (size_t i = 0; i < count; i++) {
    std::memcpy(context.h, states[i], sizeof context.h);
    SHA256_Update(&context, data[i], blocks * SHA256_CBLOCK);
    std::memcpy(states[i], context.h, sizeof context.h);
  }
  wipe_object(context);
}

void compress_sha512(uint64_t* const* states, const uint8_t* const* data, size_t blocks, size_t count) noexcept {
  SHA512_CTX context{};
  for (size_t i = 0; i < count; i++) {
    std::memcpy(context.h, states[i], sizeof context.h);
    SHA512_Update(&context, data[i], blocks * SHA512_CBLOCK);
    std::memcpy(states[i], context.h, sizeof context.h);
  }
  wipe_object(context);
}

}  // namespace

constinit const ShaKernel<uint32_t> kSha1Libcrypto = {
    .name = "libcrypto", .needs = {}, .lanes = 1, .worth_from = 1, .compress = compress_sha1};
constinit const Sha256Kernel kSha256Libcrypto = {
    {.name = "libcrypto", .needs = {}, .lanes = 1, .worth_from = 1, .compress = compress_sha256}};
constinit const Sha512Kernel kSha512Libcrypto = {
    {.name = "libcrypto", .needs = {}, .lanes = 1, .worth_from = 1, .compress = compress_sha512}};

}  // namespace plumb
