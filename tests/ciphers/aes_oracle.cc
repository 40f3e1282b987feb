#include "tests/ciphers/aes_oracle.h"

#include <openssl/evp.h>

#include <memory>

#include "core/check.h"

namespace plumb::testing {
namespace {

using Context = std::unique_ptr<EVP_CIPHER_CTX, decltype(&EVP_CIPHER_CTX_free)>;

Context start(const EVP_CIPHER* cipher, Bytes key, Bytes iv) {
  Context context(EVP_CIPHER_CTX_new(), EVP_CIPHER_CTX_free);
  PLUMB_CHECK(EVP_EncryptInit_ex(context.get(), cipher, nullptr, key.data(), iv.data()) == 1);
  return context;
}

void update(const Context& context, uint8_t* out, Bytes in) {
  if (in.empty()) return;
  int written = 0;
  PLUMB_CHECK(EVP_EncryptUpdate(context.get(), out, &written, in.data(), static_cast<int>(in.size())) == 1);
  PLUMB_CHECK(static_cast<size_t>(written) == in.size());
}

}  // namespace

std::vector<uint8_t> libcrypto_ctr(Bytes key, Bytes iv, Bytes data) {
  const EVP_CIPHER* cipher =
      key.size() == 16 ? EVP_aes_128_ctr() : (key.size() == 24 ? EVP_aes_192_ctr() : EVP_aes_256_ctr());
  const Context context = start(cipher, key, iv);
  std::vector<uint8_t> out(data.size());
  update(context, out.data(), data);
  return out;
}

Sealed libcrypto_gcm(Bytes key, Bytes nonce, Bytes aad, Bytes data) {
  const EVP_CIPHER* cipher =
      key.size() == 16 ? EVP_aes_128_gcm() : (key.size() == 24 ? EVP_aes_192_gcm() : EVP_aes_256_gcm());
  const Context context = start(cipher, key, nonce);
  Sealed sealed = {std::vector<uint8_t>(data.size()), std::vector<uint8_t>(16)};
  update(context, nullptr, aad);
  update(context, sealed.ciphertext.data(), data);
  int written = 0;
  uint8_t none[16];
  PLUMB_CHECK(EVP_EncryptFinal_ex(context.get(), none, &written) == 1 && written == 0);
  PLUMB_CHECK(EVP_CIPHER_CTX_ctrl(context.get(), EVP_CTRL_AEAD_GET_TAG, 16, sealed.tag.data()) == 1);
  return sealed;
}

}  // namespace plumb::testing
