#include <sodium.h>

#include <array>

#include "core/check.h"
#include "core/ct.h"
#include "core/wire.h"
#include "keys/ed25519.h"
#include "keys/verifiers.h"

namespace plumb {
namespace {

static_assert(kEd25519SeedSize == crypto_sign_SEEDBYTES);
static_assert(kEd25519PublicSize == crypto_sign_PUBLICKEYBYTES);
static_assert(kEd25519SecretSize == crypto_sign_SECRETKEYBYTES);

Result<Bytes> parse_key(Bytes key) {
  Reader reader(key);
  const Bytes a = reader.string();
  if (!reader.done() || a.size() != kEd25519PublicSize) {
    return fail(ErrorCode::kFormat, "the ed25519 key is not exactly 32 bytes");
  }
  return a;
}

SecretArray<kEd25519SecretSize> expand(Bytes seed) {
  PLUMB_CHECK(seed.size() == kEd25519SeedSize);
  SecretArray<kEd25519SecretSize> secret;
  std::array<uint8_t, kEd25519PublicSize> a;
  PLUMB_CHECK(crypto_sign_seed_keypair(a.data(), secret.data(), seed.data()) == 0);
  ct_public(secret.data() + kEd25519SeedSize, kEd25519PublicSize);
  return secret;
}

PublicKey public_half(Bytes secret) {
  std::vector<uint8_t> blob;
  Writer writer(blob);
  writer.text(kEd25519Type);
  writer.string(secret.subspan(kEd25519SeedSize));
  Result<PublicKey> key = PublicKey::parse(blob);
  PLUMB_CHECK(key.has_value());
  return *std::move(key);
}

}  // namespace

Result<void> check_ed25519_key(Bytes key) {
  const Result<Bytes> parsed = parse_key(key);
  if (!parsed) return tl::unexpected(parsed.error());
  return {};
}

Result<bool> verify_ed25519(Bytes key, Bytes message, Bytes signature) {
  const Result<Bytes> a = parse_key(key);
  if (!a) return tl::unexpected(a.error());
  if (signature.size() != crypto_sign_BYTES) {
    return fail(ErrorCode::kFormat, "the ed25519 signature is not exactly 64 bytes");
  }
  return crypto_sign_verify_detached(signature.data(), message.data(), message.size(), a->data()) == 0;
}

Ed25519PrivateKey::Ed25519PrivateKey(Bytes seed) : secret_(expand(seed)), public_key_(public_half(secret_.bytes())) {}

Result<std::vector<uint8_t>> Ed25519PrivateKey::sign(std::string_view algorithm, Bytes message) const {
  if (algorithm != kEd25519Type) {
    return fail(ErrorCode::kUnsupported, "an ed25519 key signs under ssh-ed25519 only");
  }
  std::array<uint8_t, crypto_sign_BYTES> signature;
  PLUMB_CHECK(crypto_sign_detached(signature.data(), nullptr, message.data(), message.size(), secret_.data()) == 0);
  ct_public(signature.data(), signature.size());
  std::vector<uint8_t> blob;
  Writer writer(blob);
  writer.text(algorithm);
  writer.string(signature);
  return blob;
}

}  // namespace plumb
