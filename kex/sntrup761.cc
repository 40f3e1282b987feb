#include "kex/sntrup761.h"

#include <algorithm>
#include <array>
#include <utility>

#include "ciphers/mac/hash.h"
#include "core/check.h"
#include "core/ct.h"
#include "core/endian.h"

namespace plumb {
namespace {

using Digest = SecretArray<32>;

/// What a hash is of: its first byte.
enum HashOf : uint8_t {
  kRejectedSession = 0,
  kSession = 1,
  kConfirmation = 2,
  kInput = 3,
  kPublicKey = 4,
};

/// The first half of SHA-512.
Digest hash_prefix(uint8_t of, Bytes first, Bytes second = {}) {
  SecretArray<64> full;
  Hash state(HashId::kSha512);
  state.update({&of, 1});
  state.update(first);
  state.update(second);
  state.finish(full.bytes());
  Digest half;
  std::copy_n(full.data(), half.size(), half.data());
  return half;
}

struct WipedPoly : SntrupPoly {
  WipedPoly() : SntrupPoly{} {}
  ~WipedPoly() { wipe_object(static_cast<SntrupPoly&>(*this)); }
  WipedPoly(const WipedPoly&) = delete;
  WipedPoly& operator=(const WipedPoly&) = delete;
};

/// Random 32-bit numbers, with the room that sorting needs; the places behind p are the largest numbers.
struct RandomNumbers {
  uint32_t n[kSntrupRoom + 8];
  explicit RandomNumbers(RandomSource& random) {
    random.fill({reinterpret_cast<uint8_t*>(n), kSntrupP * sizeof *n});  // little-endian, as the host is
    std::fill(n + kSntrupP, std::end(n), ~uint32_t{0});
  }
  ~RandomNumbers() { wipe_object(n); }
  RandomNumbers(const RandomNumbers&) = delete;
  RandomNumbers& operator=(const RandomNumbers&) = delete;
};

/// Coefficients -1, 0, 1, each as likely as the others but for 2^-30.
void draw_small(SntrupPoly& poly, RandomSource& random) {
  const RandomNumbers numbers(random);
  for (size_t i = 0; i < kSntrupP; i++) {
    poly.c[i] = static_cast<int16_t>(static_cast<int>(((numbers.n[i] & 0x3fffffff) * 3) >> 30) - 1);
  }
}

/// The same with exactly w coefficients that are not zero: their two low bits go where sorting random numbers puts
/// them.
void draw_short(SntrupPoly& poly, RandomSource& random, const SntrupKernel& kernel) {
  RandomNumbers numbers(random);
  for (size_t i = 0; i < kSntrupW; i++) numbers.n[i] &= ~uint32_t{1};                             // 0 or 2: -1 or 1
  for (size_t i = kSntrupW; i < kSntrupP; i++) numbers.n[i] = (numbers.n[i] & ~uint32_t{3}) | 1;  // 1: zero
  kernel.sort(numbers.n);
  for (size_t i = 0; i < kSntrupP; i++) poly.c[i] = static_cast<int16_t>(static_cast<int>(numbers.n[i] & 3) - 1);
}

/// Of the ciphertext: the rounded h r, and a hash that only who knows r can give.
void hide(MutBytes ciphertext, const SntrupPoly& r, Bytes encoded_r, const SntrupPoly& h, Bytes key_hash,
          const SntrupKernel& kernel) {
  WipedPoly product;
  kernel.multiply(product.c, h.c, r.c);
  kernel.round(product.c);
  sntrup_encode_rounded(product, ciphertext.first(kSntrupRoundedSize));
  const Digest input = hash_prefix(kInput, encoded_r);
  const Digest confirmation = hash_prefix(kConfirmation, input.bytes(), key_hash);
  std::copy_n(confirmation.data(), kSntrupConfirmSize, ciphertext.begin() + kSntrupRoundedSize);
}

/// Neither hash's first byte may show whether the ciphertext was refused: it is data here, not a choice.
SecretBytes session_secret(uint8_t of, Bytes encoded_r, Bytes ciphertext) {
  const Digest input = hash_prefix(kInput, encoded_r);
  return SecretBytes(hash_prefix(of, input.bytes(), ciphertext).bytes());
}

}  // namespace

struct SntrupPrivateKey::Parts {
  SntrupPoly f;                   // short
  SntrupPoly inverse_g;           // modulo 3
  SntrupPoly h;                   // the public key
  uint8_t rho[kSntrupSmallSize];  // stands for r where a ciphertext is refused
  uint8_t key_hash[32];
  uint8_t public_key[kSntrupPublicSize];
};

SntrupPrivateKey::SntrupPrivateKey(RandomSource& random, const KemKernels& kernels)
    : parts_(std::make_unique<Parts>()), kernels_(&kernels) {
  const SntrupKernel& kernel = *kernels.sntrup;
  Parts& key = *parts_;
  WipedPoly g;
  while (true) {
    draw_small(g, random);
    int failed = kernel.reciprocal_mod3(key.inverse_g.c, g.c);
    ct_public(&failed, sizeof failed);  // says nothing of the g that is taken
    if (failed == 0) break;
  }
  draw_short(key.f, random, kernel);
  WipedPoly inverse_f;
  kernel.reciprocal3(inverse_f.c, key.f.c);
  kernel.multiply(key.h.c, inverse_f.c, g.c);
  sntrup_encode(key.h, key.public_key);
  ct_public(key.public_key, sizeof key.public_key);
  ct_public(&key.h, sizeof key.h);
  random.fill(key.rho);
  const Digest key_hash = hash_prefix(kPublicKey, key.public_key);
  std::copy_n(key_hash.data(), key_hash.size(), key.key_hash);
}

SntrupPrivateKey::SntrupPrivateKey(SntrupPrivateKey&&) noexcept = default;

SntrupPrivateKey::~SntrupPrivateKey() {
  if (parts_) wipe_object(*parts_);
}

Bytes SntrupPrivateKey::public_key() const { return parts_->public_key; }

SecretBytes SntrupPrivateKey::decapsulate(Bytes ciphertext) const {
  PLUMB_CHECK(ciphertext.size() == kSntrupCiphertextSize);
  const Parts& key = *parts_;
  const SntrupKernel& kernel = *kernels_->sntrup;

  // r = ((3 c f mod q) mod 3) / g, if that has the weight that it must have.
  const SntrupPoly c = sntrup_decode_rounded(ciphertext.first(kSntrupRoundedSize));
  WipedPoly e;
  kernel.multiply(e.c, c.c, key.f.c);
  kernel.triple(e.c);
  kernel.reduce_mod3(e.c);
  WipedPoly r;
  kernel.multiply(r.c, e.c, key.inverse_g.c);
  kernel.reduce_mod3(r.c);
  int weight = 0;
  for (size_t i = 0; i < kSntrupP; i++) weight += r.c[i] & 1;
  const int off = weight - static_cast<int>(kSntrupW);
  const auto wrong = static_cast<int>(ct_barrier(static_cast<uint64_t>(static_cast<int64_t>((off | -off) >> 31))));
  for (size_t i = 0; i < kSntrupP; i++) {
    const int instead = i < kSntrupW ? 1 : 0;  // some r of the right weight: encrypting it again will differ
    r.c[i] = static_cast<int16_t>(r.c[i] ^ (wrong & (r.c[i] ^ instead)));
  }

  SecretArray<kSntrupSmallSize> encoded;
  sntrup_encode_small(r, encoded.bytes());
  SecretArray<kSntrupCiphertextSize> again;
  hide(again.bytes(), r, encoded.bytes(), key.h, key.key_hash, kernel);
  uint64_t difference = 0;
  for (size_t i = 0; i < again.size(); i++) difference |= uint64_t{again.data()[i]} ^ ciphertext[i];
  const auto same = static_cast<uint8_t>(ct_barrier(difference - 1) >> 56);  // all ones or zero
  for (size_t i = 0; i < encoded.size(); i++) {
    encoded.data()[i] = static_cast<uint8_t>(key.rho[i] ^ (same & (key.rho[i] ^ encoded.data()[i])));
  }
  return session_secret(same & kSession, encoded.bytes(), ciphertext);
}

Result<SntrupEncapsulation> sntrup_encapsulate(Bytes public_key, RandomSource& random, const KemKernels& kernels) {
  if (public_key.size() != kSntrupPublicSize) {
    return fail(ErrorCode::kProtocol, "the peer's sntrup761 public key does not have 1158 bytes");
  }
  const SntrupPoly h = sntrup_decode(public_key);
  WipedPoly r;
  draw_short(r, random, *kernels.sntrup);
  SecretArray<kSntrupSmallSize> encoded;
  sntrup_encode_small(r, encoded.bytes());
  const Digest key_hash = hash_prefix(kPublicKey, public_key);
  SntrupEncapsulation out{std::vector<uint8_t>(kSntrupCiphertextSize), SecretBytes()};
  hide(out.ciphertext, r, encoded.bytes(), h, key_hash.bytes(), *kernels.sntrup);
  ct_public(out.ciphertext.data(), out.ciphertext.size());
  out.secret = session_secret(kSession, encoded.bytes(), out.ciphertext);
  return out;
}

}  // namespace plumb
