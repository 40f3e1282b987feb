#include <openssl/evp.h>

#include "ciphers/mac/hash.h"
#include "core/check.h"

namespace plumb {
namespace {

const EVP_MD* algorithm(HashId id) {
  switch (id) {
    case HashId::kSha1: return EVP_sha1();
    case HashId::kSha256: return EVP_sha256();
    case HashId::kSha384: return EVP_sha384();
    case HashId::kSha512: return EVP_sha512();
  }
  check_failed("a hash of the table", __FILE__, __LINE__);
}

}  // namespace

struct Hash::Impl {
  explicit Impl(HashId id) : size(hash_size(id)), context(EVP_MD_CTX_new()) {
    PLUMB_CHECK(context != nullptr && EVP_DigestInit_ex(context, algorithm(id), nullptr) == 1);
  }
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;
  ~Impl() { EVP_MD_CTX_free(context); }

  size_t size;
  EVP_MD_CTX* context;
  bool finished = false;
};

size_t hash_size(HashId id) {
  switch (id) {
    case HashId::kSha1: return 20;
    case HashId::kSha256: return 32;
    case HashId::kSha384: return 48;
    case HashId::kSha512: return 64;
  }
  check_failed("a hash of the table", __FILE__, __LINE__);
}

Hash::Hash(HashId id) : impl_(std::make_unique<Impl>(id)) {}
Hash::Hash(Hash&&) noexcept = default;
Hash& Hash::operator=(Hash&&) noexcept = default;
Hash::~Hash() = default;

void Hash::update(Bytes data) {
  PLUMB_CHECK(!impl_->finished && EVP_DigestUpdate(impl_->context, data.data(), data.size()) == 1);
}

void Hash::finish(MutBytes digest) {
  PLUMB_CHECK(!impl_->finished && digest.size() == impl_->size);
  impl_->finished = true;
  PLUMB_CHECK(EVP_DigestFinal_ex(impl_->context, digest.data(), nullptr) == 1);
}

void hash(HashId id, Bytes data, MutBytes digest) {
  PLUMB_CHECK(digest.size() == hash_size(id));
  PLUMB_CHECK(EVP_Digest(data.data(), data.size(), digest.data(), nullptr, algorithm(id), nullptr) == 1);
}

}  // namespace plumb
