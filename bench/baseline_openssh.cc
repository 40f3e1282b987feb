// chacha20-poly1305@openssh.com as OpenSSH's cipher-chachapoly-libcrypto.c composes it: EVP_chacha20 for the keystream
// and, for the tag, a scalar Poly1305 in plain C with five limbs of 26 bits, one block at a time, compiled without
// instructions beyond the baseline. The arithmetic has the shape of OpenSSH's poly1305.c; the code is our own.
#include <cstring>

#include "bench/baselines.h"
#include "bench/evp_chachapoly.h"
#include "core/endian.h"

namespace plumb {
namespace {

constexpr uint32_t kLimb = 0x3ffffff;

/// Σ limb[i] · 2^(26 i).
struct Limbs {
  uint32_t limb[5];
};

/// The 16 bytes at `p` as a number, with `top` as its bit 128.
Limbs split(const uint8_t* p, uint32_t top) {
  return {{load_le32(p) & kLimb, load_le32(p + 3) >> 2 & kLimb, load_le32(p + 6) >> 4 & kLimb, load_le32(p + 9) >> 6,
           load_le32(p + 12) >> 8 | top << 24}};
}

/// h := (h + m) · r modulo 2^130 - 5, limbs of h a little above 26 bits. Written out, as compilers do not unroll at
/// -O2.
inline void add_and_multiply(Limbs& h, const Limbs& m, const Limbs& r) {
  const uint64_t a0 = h.limb[0] + m.limb[0], a1 = h.limb[1] + m.limb[1], a2 = h.limb[2] + m.limb[2];
  const uint64_t a3 = h.limb[3] + m.limb[3], a4 = h.limb[4] + m.limb[4];
  const uint32_t r0 = r.limb[0], r1 = r.limb[1], r2 = r.limb[2], r3 = r.limb[3], r4 = r.limb[4];
  const uint32_t s1 = r1 * 5, s2 = r2 * 5, s3 = r3 * 5, s4 = r4 * 5;
  const uint64_t d0 = a0 * r0 + a1 * s4 + a2 * s3 + a3 * s2 + a4 * s1;
  uint64_t d1 = a0 * r1 + a1 * r0 + a2 * s4 + a3 * s3 + a4 * s2;
  uint64_t d2 = a0 * r2 + a1 * r1 + a2 * r0 + a3 * s4 + a4 * s3;
  uint64_t d3 = a0 * r3 + a1 * r2 + a2 * r1 + a3 * r0 + a4 * s4;
  uint64_t d4 = a0 * r4 + a1 * r3 + a2 * r2 + a3 * r1 + a4 * r0;
  d1 += d0 >> 26;
  d2 += d1 >> 26;
  d3 += d2 >> 26;
  d4 += d3 >> 26;
  const uint32_t folded = (static_cast<uint32_t>(d0) & kLimb) + static_cast<uint32_t>(d4 >> 26) * 5;
  h.limb[0] = folded & kLimb;
  h.limb[1] = (static_cast<uint32_t>(d1) & kLimb) + (folded >> 26);
  h.limb[2] = static_cast<uint32_t>(d2) & kLimb;
  h.limb[3] = static_cast<uint32_t>(d3) & kLimb;
  h.limb[4] = static_cast<uint32_t>(d4) & kLimb;
}

/// Carries from every limb into the next, the last into the first.
void carry_all(Limbs& h) {
  uint32_t carry = 0;
  for (int round = 0; round < 2; round++) {
    for (uint32_t& limb : h.limb) {
      limb += carry;
      carry = limb >> 26;
      limb &= kLimb;
    }
    carry *= 5;
  }
  h.limb[0] += carry;
}

/// The representative below 2^130 - 5, without a branch.
void reduce(Limbs& h) {
  carry_all(h);
  Limbs over;  // h + 5 - 2^130
  uint32_t carry = 5;
  for (int i = 0; i < 5; i++) {
    over.limb[i] = h.limb[i] + carry;
    carry = over.limb[i] >> 26;
    over.limb[i] &= kLimb;
  }
  const uint32_t take = 0 - carry;
  for (int i = 0; i < 5; i++) h.limb[i] = (h.limb[i] & ~take) | (over.limb[i] & take);
}

class ScalarPoly1305 {
 public:
  void compute(const uint8_t* key, Bytes message, uint8_t* tag) {
    uint8_t clamped[16];
    std::memcpy(clamped, key, sizeof clamped);
    for (int i : {3, 7, 11, 15}) clamped[i] &= 15;
    for (int i : {4, 8, 12}) clamped[i] &= 252;
    const Limbs r = split(clamped, 0);
    Limbs h{};
    const uint8_t* p = message.data();
    size_t left = message.size();
    for (; left >= 16; left -= 16, p += 16) add_and_multiply(h, split(p, 1), r);
    if (left > 0) {
      uint8_t last[16] = {};
      std::memcpy(last, p, left);
      last[left] = 1;
      add_and_multiply(h, split(last, 0), r);
    }
    reduce(h);
    const uint32_t words[4] = {h.limb[0] | h.limb[1] << 26, h.limb[1] >> 6 | h.limb[2] << 20,
                               h.limb[2] >> 12 | h.limb[3] << 14, h.limb[3] >> 18 | h.limb[4] << 8};
    uint64_t sum = 0;
    for (int i = 0; i < 4; i++) {
      sum += static_cast<uint64_t>(words[i]) + load_le32(key + 16 + 4 * i);
      for (int k = 0; k < 4; k++) tag[4 * i + k] = static_cast<uint8_t>(sum >> (8 * k));
      sum >>= 32;
    }
  }
};

}  // namespace

std::unique_ptr<Sealer> openssh_sealer(const CipherSpec& cipher, const MacSpec*, const DirectionKeys& keys) {
  if (cipher.block != 8) return nullptr;
  return std::make_unique<EvpChaChaPolySealer<ScalarPoly1305>>(keys.key.bytes());
}

std::unique_ptr<Opener> openssh_opener(const CipherSpec& cipher, const MacSpec*, const DirectionKeys& keys) {
  if (cipher.block != 8) return nullptr;
  return std::make_unique<EvpChaChaPolyOpener<ScalarPoly1305>>(keys.key.bytes());
}

std::unique_ptr<Sealer> openssh_primitive(const Primitive& primitive) {
  if (primitive.kind != Primitive::Kind::kPoly1305) return nullptr;
  return raw_sealer(primitive, [key = primitive_key(primitive)](uint32_t, MutBytes data, MutBytes tag) {
    ScalarPoly1305().compute(key.bytes().data(), data, tag.data());
  });
}

}  // namespace plumb
