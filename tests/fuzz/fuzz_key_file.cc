// Private key files: the input as the text of a file, and as the bytes inside the base64 of one, so that mutations
// reach the binary fields as well. What loads must sign, and must come back from the file that we write for it.
#include <cstdint>
#include <string>

#include "core/check.h"
#include "core/encoding.h"
#include "keys/private_key.h"

namespace {

using namespace plumb;

void load(std::string_view text) {
  const auto file = parse_key_file(text);
  if (!file) {
    PLUMB_CHECK(*file.error().text != '\0');
    return;
  }
  const PublicKey& key = file->key->public_key();
  const auto signature = file->key->sign(key.type(), as_bytes("message"));
  PLUMB_CHECK(signature.has_value());
  PLUMB_CHECK(key.verify(key.type(), as_bytes("message"), *signature).has_value());
  if (file->comment.size() > 4096) return;
  const auto again = parse_key_file(write_key_file(*file->key, file->comment, system_random()));
  PLUMB_CHECK(again.has_value());
  PLUMB_CHECK(again->key->public_key() == key && again->comment == file->comment);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const Bytes input(data, size);
  load(as_text(input));
  load("-----BEGIN OPENSSH PRIVATE KEY-----\n" + to_base64(input) + "\n-----END OPENSSH PRIVATE KEY-----\n");
  return 0;
}
