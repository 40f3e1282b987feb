#include "keys/public_key.h"

#include <array>

#include "ciphers/mac/hash.h"
#include "core/encoding.h"
#include "core/wire.h"
#include "keys/certificate.h"
#include "keys/key_type.h"
#include "keys/md5.h"
#include "keys/signature.h"

namespace plumb {
namespace {

constexpr uint8_t kUserPresent = 0x01;  // SSH_SK_USER_PRESENCE_REQD
constexpr uint8_t kUserVerified = 0x04;

}  // namespace

Result<PublicKey> PublicKey::parse(Bytes blob, const KeyLimits& limits) {
  Reader reader(blob);
  const std::string_view name = reader.text();
  if (!reader.ok()) return fail(ErrorCode::kFormat, "the public key is cut short");
  const KeyType* type = find_key_type(name);
  if (type == nullptr) {
    return fail(ErrorCode::kUnsupported,
                "the public key is of a type that is not supported; known: ed25519, ecdsa, rsa and security keys");
  }
  const bool certified = name == type->certificate_name;
  if (certified) reader.string();  // the nonce, which keeps a signed text from being foreseen
  PublicKey key;
  key.fields_begin_ = blob.size() - reader.remaining();
  // A plain key's check wants to see all that is there, so that nothing hides behind it.
  if (certified) {
    for (size_t i = 0; i < type->fields; i++) reader.string();
    if (!reader.ok()) return fail(ErrorCode::kFormat, "the certificate is cut short");
    key.fields_size_ = blob.size() - reader.remaining() - key.fields_begin_;
  } else {
    key.fields_size_ = reader.remaining();
  }
  const Bytes fields = blob.subspan(key.fields_begin_, key.fields_size_);
  if (const auto checked = type->check(fields, limits); !checked) return tl::unexpected(checked.error());
  if (certified) {
    Result<Certificate> certificate = parse_certificate(blob, reader, limits);
    if (!certificate) return tl::unexpected(certificate.error());
    key.certificate_ = std::make_shared<const Certificate>(*std::move(certificate));
  }
  key.blob_.assign(blob.begin(), blob.end());
  return key;
}

std::string_view PublicKey::type() const { return Reader(blob_).text(); }

std::vector<uint8_t> PublicKey::plain_blob() const {
  if (certificate_ == nullptr) return blob_;
  std::vector<uint8_t> plain;
  Writer writer(plain);
  writer.text(find_key_type(type())->name);
  writer.raw(Bytes(blob_).subspan(fields_begin_, fields_size_));
  return plain;
}

PublicKey PublicKey::plain() const {
  PublicKey key;
  key.blob_ = plain_blob();
  key.fields_begin_ = key.blob_.size() - fields_size_;
  key.fields_size_ = fields_size_;
  return key;
}

Result<Verified> PublicKey::verify(std::string_view algorithm, Bytes message, Bytes signature) const {
  const SignatureAlgorithm* chosen = find_signature_algorithm(algorithm);
  if (chosen == nullptr) return fail(ErrorCode::kUnsupported, "the signature algorithm is not supported");
  if (chosen->key_type != type()) {
    return fail(ErrorCode::kHostKey, "the key is of another type than the negotiated signature algorithm needs");
  }
  Reader reader(signature);
  const std::string_view signed_as = reader.text();
  const Bytes inner = reader.string();
  const bool ok = reader.ok();
  const Bytes trailer = reader.rest();
  if (!ok || (!trailer.empty() && !chosen->security_key)) {
    return fail(ErrorCode::kFormat, "the signature is cut short or has bytes left over");
  }
  if (signed_as != chosen->signed_as) {
    return fail(ErrorCode::kHostKey, "the signature was made with another algorithm than the one negotiated");
  }
  const Bytes fields = Bytes(blob_).subspan(fields_begin_, fields_size_);
  const Result<bool> good = chosen->verify(fields, message, {inner, trailer});
  if (!good) return tl::unexpected(good.error());
  if (!*good) return fail(ErrorCode::kHostKey, "the signature does not verify under the key");
  if (!chosen->security_key) return Verified(std::nullopt);
  Reader token(trailer);
  const uint8_t flags = token.u8();
  return Verified(TokenUse{(flags & kUserPresent) != 0, (flags & kUserVerified) != 0, token.u32()});
}

std::string PublicKey::fingerprint() const {
  std::array<uint8_t, 32> digest;
  hash(HashId::kSha256, plain_blob(), digest);
  std::string text = to_base64(digest);
  text.erase(text.find_last_not_of('=') + 1);
  return "SHA256:" + text;
}

std::string PublicKey::md5_fingerprint() const {
  std::string text = "MD5";
  for (const uint8_t byte : md5(plain_blob())) text += ":" + to_hex({&byte, 1});
  return text;
}

}  // namespace plumb
