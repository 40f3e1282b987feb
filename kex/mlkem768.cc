#include "kex/mlkem768.h"

#include <algorithm>
#include <utility>

#include "ciphers/keccak/sponge.h"
#include "core/check.h"
#include "core/ct.h"

namespace plumb {
namespace {

constexpr size_t kPolySize = 384;  // 256 coefficients of 12 bits
constexpr size_t kCompressedSize = 320;
constexpr size_t kNoiseSize = 128;

struct Poly {
  alignas(32) int16_t c[kMlkemN];
};
using Vector = std::array<Poly, kMlkemK>;

/// Row by row; coefficients in lane order.
using Matrix = std::array<Vector, kMlkemK>;

/// Working memory that is wiped however a function is left.
template <class T>
struct Wiped : T {
  Wiped() : T() {}
  ~Wiped() { wipe_object(static_cast<T&>(*this)); }
  Wiped(const Wiped&) = delete;
  Wiped& operator=(const Wiped&) = delete;
};

/// A of FIPS 203 algorithm 13: nine polynomials out of SHAKE128(rho || column || row), four at a time.
void make_matrix(Matrix& a, Bytes rho, const KemKernels& kernels) {
  constexpr size_t kPolys = kMlkemK * kMlkemK;
  constexpr size_t kRate = sponge_rate(SpongeId::kShake128);
  for (size_t first = 0; first < kPolys; first += kKeccakLanes) {
    uint8_t seeds[kKeccakLanes][34];
    int16_t polys[kKeccakLanes][kMlkemN + 32];
    uint8_t blocks[kKeccakLanes][kRate];
    size_t have[kKeccakLanes] = {};
    const size_t used = std::min(kKeccakLanes, kPolys - first);
    for (size_t i = 0; i < kKeccakLanes; i++) {
      std::copy(rho.begin(), rho.end(), seeds[i]);
      seeds[i][32] = static_cast<uint8_t>((first + i) % kMlkemK);
      seeds[i][33] = static_cast<uint8_t>((first + i) / kMlkemK);
    }
    Shake4 shake(*kernels.keccak, SpongeId::kShake128, {seeds[0], seeds[1], seeds[2], seeds[3]});
    const auto complete = [&] { return std::all_of(have, have + used, [](size_t n) { return n == kMlkemN; }); };
    while (!complete()) {
      shake.squeeze_block({blocks[0], blocks[1], blocks[2], blocks[3]});
      for (size_t i = 0; i < used; i++) have[i] = kernels.mlkem->sample(polys[i], have[i], blocks[i], kRate);
    }
    for (size_t i = 0; i < used; i++) {
      Poly& poly = a[(first + i) / kMlkemK][(first + i) % kMlkemK];
      std::copy_n(polys[i], kMlkemN, poly.c);
      kernels.mlkem->transpose(poly.c);
    }
  }
}

/// PRF and the binomial distribution (FIPS 203 §4.1): the polynomials of nonces 0, 1, … of one seed.
template <size_t kCount>
void make_noise(std::array<Poly*, kCount> polys, Bytes seed, const KemKernels& kernels) {
  struct Work {
    uint8_t seeds[kKeccakLanes][33];
    uint8_t blocks[kKeccakLanes][sponge_rate(SpongeId::kShake256)];
  };
  static_assert(sponge_rate(SpongeId::kShake256) >= kNoiseSize);
  Wiped<Work> w;
  for (size_t first = 0; first < kCount; first += kKeccakLanes) {
    for (size_t i = 0; i < kKeccakLanes; i++) {
      std::copy(seed.begin(), seed.end(), w.seeds[i]);
      w.seeds[i][32] = static_cast<uint8_t>(first + i);
    }
    Shake4 shake(*kernels.keccak, SpongeId::kShake256, {w.seeds[0], w.seeds[1], w.seeds[2], w.seeds[3]});
    shake.squeeze_block({w.blocks[0], w.blocks[1], w.blocks[2], w.blocks[3]});
    for (size_t i = 0; i < std::min(kKeccakLanes, kCount - first); i++) {
      kernels.mlkem->noise(polys[first + i]->c, w.blocks[i]);
    }
  }
}

/// t of a public key, in lane order. False if a coefficient is not below q.
bool decode_public(Vector& t, Bytes public_key, const MlkemKernel& kernel) {
  int16_t largest = 0;
  for (size_t i = 0; i < kMlkemK; i++) {
    kernel.decode12(t[i].c, public_key.data() + kPolySize * i);
    for (int16_t c : t[i].c) largest = std::max(largest, c);
    kernel.transpose(t[i].c);
  }
  return largest < kMlkemQ;
}

/// K-PKE.Encrypt (FIPS 203 algorithm 14) under (A, t).
void encrypt(uint8_t* ciphertext, const Matrix& a, const Vector& t, Bytes message, Bytes coins,
             const KemKernels& kernels) {
  struct Work {
    Vector r, e1, u;
    Poly e2, m, v;
  };
  Wiped<Work> w;
  const MlkemKernel& kernel = *kernels.mlkem;
  make_noise<7>({&w.r[0], &w.r[1], &w.r[2], &w.e1[0], &w.e1[1], &w.e1[2], &w.e2}, coins, kernels);
  for (Poly& poly : w.r) kernel.ntt(poly.c);
  for (size_t i = 0; i < kMlkemK; i++) {
    kernel.dot(w.u[i].c, a[0][i].c, sizeof(Vector) / sizeof(int16_t), w.r[0].c);  // column i: A transposed
    kernel.inverse_ntt(w.u[i].c);
    kernel.add(w.u[i].c, w.e1[i].c);
    kernel.compress10(ciphertext + kCompressedSize * i, w.u[i].c);
  }
  kernel.dot(w.v.c, t[0].c, kMlkemN, w.r[0].c);
  kernel.inverse_ntt(w.v.c);
  kernel.add(w.v.c, w.e2.c);
  kernel.decompress1(w.m.c, message.data());
  kernel.add(w.v.c, w.m.c);
  kernel.compress4(ciphertext + kCompressedSize * kMlkemK, w.v.c);
}

/// K-PKE.Decrypt (FIPS 203 algorithm 15).
void decrypt(uint8_t* message, const Vector& s, Bytes ciphertext, const MlkemKernel& kernel) {
  struct Work {
    Vector u;
    Poly v, sum;
  };
  Wiped<Work> w;
  for (size_t i = 0; i < kMlkemK; i++) {
    kernel.decompress10(w.u[i].c, ciphertext.data() + kCompressedSize * i);
    kernel.ntt(w.u[i].c);
  }
  kernel.decompress4(w.v.c, ciphertext.data() + kCompressedSize * kMlkemK);
  kernel.dot(w.sum.c, s[0].c, kMlkemN, w.u[0].c);
  kernel.inverse_ntt(w.sum.c);
  kernel.subtract(w.sum.c, w.v.c);
  kernel.compress1(message, w.sum.c);
}

/// (K, r) = G(m || H(ek))
using KeyAndCoins = SecretArray<64>;
KeyAndCoins derive(Bytes message, Bytes key_hash, const KemKernels& kernels) {
  KeyAndCoins out;
  sponge(*kernels.keccak, SpongeId::kSha3_512, {message, key_hash}, out.bytes());
  return out;
}

}  // namespace

struct MlkemPrivateKey::Parts {
  Matrix a;
  Vector s, t;  // lane order
  std::array<uint8_t, kMlkemPublicSize> public_key;
  std::array<uint8_t, 32> public_hash;
  std::array<uint8_t, 32> z;
};

MlkemPrivateKey::MlkemPrivateKey(Bytes seed, const KemKernels& kernels)
    : parts_(std::make_unique<Parts>()), kernels_(&kernels) {
  PLUMB_CHECK(seed.size() == kMlkemSeedSize);
  const MlkemKernel& kernel = *kernels.mlkem;
  Parts& key = *parts_;

  KeyAndCoins seeds;  // rho || sigma
  constexpr uint8_t kRank[] = {kMlkemK};
  sponge(*kernels.keccak, SpongeId::kSha3_512, {seed.first(32), kRank}, seeds.bytes());
  const Bytes rho = Bytes(seeds.bytes()).first(32);
  ct_public(rho.data(), rho.size());
  make_matrix(key.a, rho, kernels);

  Wiped<Vector> e;
  make_noise<6>({&key.s[0], &key.s[1], &key.s[2], &e[0], &e[1], &e[2]}, Bytes(seeds.bytes()).last(32), kernels);
  for (size_t i = 0; i < kMlkemK; i++) {
    kernel.ntt(key.s[i].c);
    kernel.ntt(e[i].c);
  }
  for (size_t i = 0; i < kMlkemK; i++) {
    kernel.dot(key.t[i].c, key.a[i][0].c, kMlkemN, key.s[0].c);
    kernel.scale_and_add(key.t[i].c, e[i].c);
    Poly standard = key.t[i];
    kernel.transpose(standard.c);
    kernel.encode12(key.public_key.data() + kPolySize * i, standard.c);
  }
  std::copy(rho.begin(), rho.end(), key.public_key.begin() + kPolySize * kMlkemK);
  ct_public(key.public_key.data(), key.public_key.size());
  ct_public(&key.t, sizeof key.t);
  sponge(*kernels.keccak, SpongeId::kSha3_256, {key.public_key}, key.public_hash);
  std::copy_n(seed.begin() + 32, key.z.size(), key.z.begin());
}

MlkemPrivateKey::MlkemPrivateKey(MlkemPrivateKey&&) noexcept = default;

MlkemPrivateKey::~MlkemPrivateKey() {
  if (parts_) wipe_object(*parts_);
}

Bytes MlkemPrivateKey::public_key() const { return parts_->public_key; }

SecretBytes MlkemPrivateKey::decapsulate(Bytes ciphertext) const {
  PLUMB_CHECK(ciphertext.size() == kMlkemCiphertextSize);
  const Parts& key = *parts_;
  SecretArray<kMlkemMessageSize> message;
  decrypt(message.data(), key.s, ciphertext, *kernels_->mlkem);
  const KeyAndCoins derived = derive(message.bytes(), key.public_hash, *kernels_);
  SecretArray<kMlkemCiphertextSize> again;
  encrypt(again.data(), key.a, key.t, message.bytes(), derived.bytes().last(32), *kernels_);

  SecretBytes secret(kMlkemSecretSize);  // of a ciphertext that is refused: J(z || c)
  sponge(*kernels_->keccak, SpongeId::kShake256, {key.z, ciphertext}, secret.bytes());
  uint64_t difference = 0;
  for (size_t i = 0; i < again.size(); i++) difference |= uint64_t{again.data()[i]} ^ ciphertext[i];
  const auto same = static_cast<uint8_t>(ct_barrier(difference - 1) >> 56);  // all ones or zero
  for (size_t i = 0; i < kMlkemSecretSize; i++) {
    uint8_t& byte = secret.bytes()[i];
    byte = static_cast<uint8_t>(byte ^ (same & (byte ^ derived.data()[i])));
  }
  return secret;
}

Result<MlkemEncapsulation> mlkem_encapsulate(Bytes public_key, Bytes message, const KemKernels& kernels) {
  PLUMB_CHECK(message.size() == kMlkemMessageSize);
  if (public_key.size() != kMlkemPublicSize) {
    return fail(ErrorCode::kProtocol, "the peer's ML-KEM-768 encapsulation key does not have 1184 bytes");
  }
  Vector t;
  if (!decode_public(t, public_key, *kernels.mlkem)) {
    return fail(ErrorCode::kProtocol, "the peer's ML-KEM-768 encapsulation key has a coefficient that is not below q");
  }
  Matrix a;
  make_matrix(a, public_key.last(32), kernels);
  std::array<uint8_t, 32> public_hash;
  sponge(*kernels.keccak, SpongeId::kSha3_256, {public_key}, public_hash);
  const KeyAndCoins derived = derive(message, public_hash, kernels);
  MlkemEncapsulation out{std::vector<uint8_t>(kMlkemCiphertextSize), SecretBytes(derived.bytes().first(32))};
  encrypt(out.ciphertext.data(), a, t, message, derived.bytes().last(32), kernels);
  ct_public(out.ciphertext.data(), out.ciphertext.size());
  return out;
}

}  // namespace plumb
