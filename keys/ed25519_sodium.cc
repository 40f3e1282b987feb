#include <sodium.h>

#include <array>

#include "core/check.h"
#include "core/ct.h"
#include "core/wire.h"
#include "keys/ed25519.h"
#include "keys/secret_writer.h"
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

Result<void> check_ed25519_key(Bytes key, const KeyLimits&) {
  const Result<Bytes> parsed = parse_key(key);
  if (!parsed) return tl::unexpected(parsed.error());
  return {};
}

Result<bool> verify_ed25519(Bytes key, Bytes message, const SignatureFields& signature) {
  const Result<Bytes> a = parse_key(key);
  if (!a) return tl::unexpected(a.error());
  if (signature.inner.size() != crypto_sign_BYTES) {
    return fail(ErrorCode::kFormat, "the ed25519 signature is not exactly 64 bytes");
  }
  return crypto_sign_verify_detached(signature.inner.data(), message.data(), message.size(), a->data()) == 0;
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

SecretBytes Ed25519PrivateKey::private_fields() const {
  SecretWriter writer;
  writer.string(secret_.bytes().subspan(kEd25519SeedSize));
  writer.string(secret_.bytes());
  return writer.take();
}

Result<std::unique_ptr<StoredKey>> read_ed25519(Reader& reader) {
  const Bytes a = reader.string();
  const Bytes secret = reader.string();
  if (!reader.ok()) return fail(ErrorCode::kFormat, "the private ed25519 key is cut short");
  if (a.size() != kEd25519PublicSize || secret.size() != kEd25519SecretSize) {
    return fail(ErrorCode::kFormat, "the private ed25519 key has a wrong size");
  }
  auto key = std::make_unique<Ed25519PrivateKey>(secret.first(kEd25519SeedSize));
  // A public half that is not the seed's would enter the signature and give the private key away.
  if (!ct_equal(key->secret(), secret) || !ct_equal(a, secret.subspan(kEd25519SeedSize))) {
    return fail(ErrorCode::kFormat, "the private and public halves of the ed25519 key do not belong together");
  }
  return key;
}

std::unique_ptr<StoredKey> make_ed25519(RandomSource& random, unsigned) {
  SecretArray<kEd25519SeedSize> seed;
  random.fill(seed.bytes());
  return std::make_unique<Ed25519PrivateKey>(seed.bytes());
}

}  // namespace plumb
