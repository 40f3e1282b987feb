#include <openssl/evp.h>

#include <climits>

#include "ciphers/aes/aes_cbc.h"
#include "core/check.h"

namespace plumb {

struct AesCbc::Impl {
  EVP_CIPHER_CTX* context = EVP_CIPHER_CTX_new();

  ~Impl() { EVP_CIPHER_CTX_free(context); }  // wipes the key
};

AesCbc::AesCbc(Direction direction, Bytes key, Bytes iv) : impl_(std::make_unique<Impl>()) {
  PLUMB_CHECK(key.size() == 16 || key.size() == 24 || key.size() == 32);
  PLUMB_CHECK(iv.size() == 16);
  const EVP_CIPHER* aes = key.size() == 16   ? EVP_aes_128_cbc()
                          : key.size() == 24 ? EVP_aes_192_cbc()
                                             : EVP_aes_256_cbc();
  const int encrypt = direction == Direction::kEncrypt ? 1 : 0;
  PLUMB_CHECK(impl_->context != nullptr);
  PLUMB_CHECK(EVP_CipherInit_ex(impl_->context, aes, nullptr, key.data(), iv.data(), encrypt) == 1);
  PLUMB_CHECK(EVP_CIPHER_CTX_set_padding(impl_->context, 0) == 1);  // else the last block of each packet is held back
}

AesCbc::~AesCbc() = default;

void AesCbc::crypt(MutBytes data) noexcept {
  PLUMB_CHECK(data.size() % 16 == 0 && data.size() <= INT_MAX);
  if (data.empty()) return;
  const int size = static_cast<int>(data.size());
  int written = 0;
  PLUMB_CHECK(EVP_CipherUpdate(impl_->context, data.data(), &written, data.data(), size) == 1);
  PLUMB_CHECK(written == size);
}

}  // namespace plumb
