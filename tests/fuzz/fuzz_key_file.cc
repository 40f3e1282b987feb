// Private key files: the input as the text of a file, and as the bytes inside the base64 of one, so that mutations
// reach the binary fields as well. What loads must sign, and must come back from the file that we write for it.
// Encrypted files of the corpus have the passphrase "ppppp".
#include <cstdint>
#include <optional>
#include <string>

#include "core/check.h"
#include "core/encoding.h"
#include "core/wire.h"
#include "keys/key_file.h"
#include "keys/signature.h"

namespace {

using namespace plumb;

void load(std::string_view text, std::optional<Bytes> passphrase) {
  const auto file = parse_key_file(text, passphrase);
  if (!file) {
    PLUMB_CHECK(*file.error().text != '\0');
    return;
  }
  const PublicKey& key = file->key->public_key();
  const std::string_view algorithm = algorithms_of_key_type(key.type()).front();
  const auto signature = file->key->sign(algorithm, as_bytes("message"));
  PLUMB_CHECK(signature.has_value());
  PLUMB_CHECK(key.verify(algorithm, as_bytes("message"), *signature).has_value());
  if (file->comment.size() > 4096) return;
  const auto again = parse_key_file(write_key_file(*file->key, file->comment, system_random()));
  PLUMB_CHECK(again.has_value());
  PLUMB_CHECK(again->key->public_key() == key);
  PLUMB_CHECK(again->comment == file->comment);
}

/// Rounds of key derivation take time, and the fuzzer would find files that ask for many.
bool asks_for_few_rounds(Bytes body) {
  const size_t at = as_text(body).find("bcrypt");
  if (at == std::string_view::npos) return true;
  Reader reader(body.subspan(at + 6));
  Reader options(reader.string());
  options.string();
  return options.u32() <= 2;
}

void outline(std::string_view text) {
  const auto known = outline_key_file(text);
  PLUMB_CHECK(known.has_value() || *known.error().text != '\0');
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const Bytes input(data, size);
  outline(as_text(input));
  load(as_text(input), std::nullopt);
  const std::string armoured =
      "-----BEGIN OPENSSH PRIVATE KEY-----\n" + to_base64(input) + "\n-----END OPENSSH PRIVATE KEY-----\n";
  outline(armoured);
  load(armoured, asks_for_few_rounds(input) ? std::optional(as_bytes("ppppp")) : std::nullopt);
  return 0;
}
