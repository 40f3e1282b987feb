// Keys of security tokens (OpenSSH PROTOCOL.u2f). The token signs a statement of its own, into which the message goes
// as a hash:
//
//   SHA-256(application) | byte flags | uint32 counter | SHA-256(message)
#include <array>

#include "ciphers/mac/hash.h"
#include "core/wire.h"
#include "keys/verifiers.h"

namespace plumb {
namespace {

constexpr size_t kTrailerSize = 1 + 4;
constexpr size_t kDigestSize = 32;

struct SecurityKeyFields {
  Bytes plain;  ///< what a plain key of the curve would hold
  Bytes application;
};

/// `strings` is how many come before the application.
Result<SecurityKeyFields> split_fields(Bytes key, int strings) {
  Reader reader(key);
  for (int i = 0; i < strings; i++) reader.string();
  const size_t plain_size = key.size() - reader.remaining();
  const Bytes application = reader.string();
  if (!reader.done()) return fail(ErrorCode::kFormat, "the security key is cut short or has bytes left over");
  return SecurityKeyFields{key.first(plain_size), application};
}

Result<std::vector<uint8_t>> statement(Bytes application, Bytes message, Bytes trailer) {
  if (trailer.size() != kTrailerSize) {
    return fail(ErrorCode::kFormat, "the signature of the security key lacks its flags and counter");
  }
  std::array<uint8_t, kDigestSize> digest;
  std::vector<uint8_t> text;
  Writer writer(text);
  hash(HashId::kSha256, application, digest);
  writer.raw(digest);
  writer.raw(trailer);
  hash(HashId::kSha256, message, digest);
  writer.raw(digest);
  return text;
}

using Check = Result<void> (*)(Bytes key, const KeyLimits& limits);
using Verify = Result<bool> (*)(Bytes key, Bytes message, const SignatureFields& signature);

Result<void> check_plain(Bytes key, int strings, const KeyLimits& limits, Check check) {
  const Result<SecurityKeyFields> fields = split_fields(key, strings);
  if (!fields) return tl::unexpected(fields.error());
  return check(fields->plain, limits);
}

Result<bool> verify_statement(Bytes key, int strings, Bytes message, const SignatureFields& signature, Verify verify) {
  const Result<SecurityKeyFields> fields = split_fields(key, strings);
  if (!fields) return tl::unexpected(fields.error());
  const Result<std::vector<uint8_t>> text = statement(fields->application, message, signature.trailer);
  if (!text) return tl::unexpected(text.error());
  return verify(fields->plain, *text, {signature.inner, {}});
}

}  // namespace

Result<void> check_sk_ed25519_key(Bytes key, const KeyLimits& limits) {
  return check_plain(key, 1, limits, check_ed25519_key);
}

Result<bool> verify_sk_ed25519(Bytes key, Bytes message, const SignatureFields& signature) {
  return verify_statement(key, 1, message, signature, verify_ed25519);
}

Result<void> check_sk_ecdsa_key(Bytes key, const KeyLimits& limits) {
  return check_plain(key, 2, limits, check_ecdsa_key<EcdsaCurve::kP256>);
}

Result<bool> verify_sk_ecdsa(Bytes key, Bytes message, const SignatureFields& signature) {
  return verify_statement(key, 2, message, signature, verify_ecdsa<EcdsaCurve::kP256>);
}

}  // namespace plumb
