#include "tests/keys/ssh_blobs.h"

#include "core/check.h"
#include "core/encoding.h"
#include "core/wire.h"

namespace plumb::testing {

std::vector<uint8_t> ed25519_blob(Bytes a, std::string_view type) {
  std::vector<uint8_t> blob;
  Writer writer(blob);
  writer.text(type);
  writer.string(a);
  return blob;
}

std::vector<uint8_t> ecdsa_blob(Bytes point, std::string_view curve, std::string_view type) {
  std::vector<uint8_t> blob;
  Writer writer(blob);
  writer.text(type);
  writer.text(curve);
  writer.string(point);
  return blob;
}

std::vector<uint8_t> rsa_blob(Bytes exponent, Bytes modulus) {
  std::vector<uint8_t> blob;
  Writer writer(blob);
  writer.text("ssh-rsa");
  writer.mpint(exponent);
  writer.mpint(modulus);
  return blob;
}

std::vector<uint8_t> signature_blob(std::string_view algorithm, Bytes inner) {
  std::vector<uint8_t> blob;
  Writer writer(blob);
  writer.text(algorithm);
  writer.string(inner);
  return blob;
}

std::vector<uint8_t> ecdsa_inner(Bytes r, Bytes s) {
  std::vector<uint8_t> inner;
  Writer writer(inner);
  writer.mpint(r);
  writer.mpint(s);
  return inner;
}

std::vector<uint8_t> concat(std::initializer_list<Bytes> parts) {
  std::vector<uint8_t> joined;
  for (Bytes part : parts) joined.insert(joined.end(), part.begin(), part.end());
  return joined;
}

std::vector<uint8_t> hex(std::string_view text) {
  auto bytes = from_hex(text);
  PLUMB_CHECK(bytes.has_value());
  return *std::move(bytes);
}

}  // namespace plumb::testing
