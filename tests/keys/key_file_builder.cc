#include "tests/keys/key_file_builder.h"

#include "core/encoding.h"
#include "core/wire.h"
#include "tests/keys/libcrypto_signer.h"
#include "tests/keys/ssh_blobs.h"

namespace plumb::testing {

KeyFileFields good_fields(Bytes seed) {
  KeyFileFields fields;
  fields.public_blob = LibcryptoSigner::ed25519(seed).blob();
  fields.public_half = concat({Bytes(fields.public_blob).last(32)});
  fields.secret = concat({seed, fields.public_half});
  return fields;
}

std::vector<uint8_t> encode(const KeyFileFields& fields) {
  std::vector<uint8_t> section;
  Writer inner(section);
  inner.u32(fields.check1);
  inner.u32(fields.check2);
  inner.text(fields.type);
  inner.string(fields.public_half);
  inner.string(fields.secret);
  inner.text(fields.comment);
  if (fields.padding) {
    inner.raw(*fields.padding);
  } else {
    for (uint8_t b = 1; section.size() % 8 != 0; b++) inner.u8(b);
  }

  std::vector<uint8_t> body;
  Writer outer(body);
  outer.raw(as_bytes(fields.magic));
  outer.text(fields.cipher);
  outer.text(fields.kdf);
  outer.text(fields.kdf_options);
  outer.u32(fields.count);
  outer.string(fields.public_blob);
  outer.string(section);
  outer.raw(fields.tail);
  return body;
}

std::string armour(Bytes body, const ArmourShape& shape) {
  const std::string base64 = to_base64(body);
  std::string text = "-----BEGIN OPENSSH PRIVATE KEY-----" + shape.line_end;
  for (size_t i = 0; i < base64.size(); i += shape.width) text += base64.substr(i, shape.width) + shape.line_end;
  text += "-----END OPENSSH PRIVATE KEY-----";
  if (shape.final_line_end) text += shape.line_end;
  return text;
}

}  // namespace plumb::testing
