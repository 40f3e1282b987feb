#include "keys/public_key.h"

#include <algorithm>
#include <array>

#include "ciphers/mac/hash.h"
#include "core/encoding.h"
#include "core/wire.h"
#include "keys/signature.h"

namespace plumb {
namespace {

/// What stands in a key blob behind its type string.
Bytes fields_of(Bytes blob) {
  Reader reader(blob);
  reader.string();
  return reader.rest();
}

}  // namespace

Result<PublicKey> PublicKey::parse(Bytes blob) {
  Reader reader(blob);
  const std::string_view type = reader.text();
  if (!reader.ok()) return fail(ErrorCode::kFormat, "the public key is cut short");
  const auto algorithms = signature_algorithms();
  const auto algorithm = std::find_if(algorithms.begin(), algorithms.end(),
                                      [&](const SignatureAlgorithm& a) { return a.key_type == type; });
  if (algorithm == algorithms.end()) {
    return fail(ErrorCode::kUnsupported,
                "the public key is of a type that is not supported; known: ssh-ed25519, ecdsa-sha2-nistp256, ssh-rsa");
  }
  if (const auto checked = algorithm->check_key(reader.rest()); !checked) return tl::unexpected(checked.error());
  return PublicKey(std::vector<uint8_t>(blob.begin(), blob.end()));
}

std::string_view PublicKey::type() const { return Reader(blob_).text(); }

Result<Verified> PublicKey::verify(std::string_view algorithm, Bytes message, Bytes signature) const {
  const SignatureAlgorithm* chosen = find_signature_algorithm(algorithm);
  if (chosen == nullptr) return fail(ErrorCode::kUnsupported, "the signature algorithm is not supported");
  if (chosen->key_type != type()) {
    return fail(ErrorCode::kHostKey, "the key is of another type than the negotiated signature algorithm needs");
  }
  Reader reader(signature);
  const std::string_view signed_with = reader.text();
  const Bytes inner = reader.string();
  if (!reader.done()) return fail(ErrorCode::kFormat, "the signature is cut short or has bytes left over");
  if (signed_with != algorithm) {
    return fail(ErrorCode::kHostKey, "the signature was made with another algorithm than the one negotiated");
  }
  const Result<bool> good = chosen->verify(fields_of(blob_), message, inner);
  if (!good) return tl::unexpected(good.error());
  if (!*good) return fail(ErrorCode::kHostKey, "the signature does not verify under the key");
  return Verified();
}

std::string PublicKey::fingerprint() const {
  std::array<uint8_t, 32> digest;
  hash(HashId::kSha256, blob_, digest);
  std::string text = to_base64(digest);
  text.erase(text.find_last_not_of('=') + 1);
  return "SHA256:" + text;
}

}  // namespace plumb
