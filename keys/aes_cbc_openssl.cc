#include <openssl/evp.h>

#include <memory>

#include "core/check.h"
#include "keys/key_file_cipher.h"

namespace plumb {
namespace {

const EVP_CIPHER* cipher_for(size_t key_size) {
  switch (key_size) {
    case 16: return EVP_aes_128_cbc();
    case 24: return EVP_aes_192_cbc();
    default: PLUMB_CHECK(key_size == 32); return EVP_aes_256_cbc();
  }
}

void crypt(Bytes key, Bytes iv, MutBytes data, bool encrypt) {
  const std::unique_ptr<EVP_CIPHER_CTX, decltype(&EVP_CIPHER_CTX_free)> context(EVP_CIPHER_CTX_new(),
                                                                                EVP_CIPHER_CTX_free);
  PLUMB_CHECK(context != nullptr && iv.size() == 16 && data.size() % 16 == 0);
  PLUMB_CHECK(EVP_CipherInit_ex2(context.get(), cipher_for(key.size()), key.data(), iv.data(), encrypt, nullptr) == 1);
  EVP_CIPHER_CTX_set_padding(context.get(), 0);
  int size = 0;
  PLUMB_CHECK(EVP_CipherUpdate(context.get(), data.data(), &size, data.data(), static_cast<int>(data.size())) == 1);
  PLUMB_CHECK(static_cast<size_t>(size) == data.size());
}

}  // namespace

void aes_cbc_encrypt(Bytes key, Bytes iv, MutBytes data) { crypt(key, iv, data, true); }
void aes_cbc_decrypt(Bytes key, Bytes iv, MutBytes data) { crypt(key, iv, data, false); }

}  // namespace plumb
