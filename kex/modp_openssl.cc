#include <openssl/bn.h>

#include <bit>
#include <memory>

#include "core/check.h"
#include "core/freer.h"
#include "kex/modp.h"

namespace plumb {
namespace {

using Number = std::unique_ptr<BIGNUM, Freer<BN_free>>;
using SecretNumber = std::unique_ptr<BIGNUM, Freer<BN_clear_free>>;
using Scratch = std::unique_ptr<BN_CTX, Freer<BN_CTX_free>>;

constexpr size_t kExponentSize = 64;

BIGNUM* new_number(Bytes magnitude) {
  BIGNUM* number = BN_bin2bn(magnitude.data(), static_cast<int>(magnitude.size()), nullptr);
  PLUMB_CHECK(number != nullptr);
  return number;
}

std::vector<uint8_t> without_leading_zeros(Bytes magnitude) {
  while (!magnitude.empty() && magnitude[0] == 0) magnitude = magnitude.subspan(1);
  return {magnitude.begin(), magnitude.end()};
}

/// base^exponent mod p, in the bytes of p.
SecretBytes power(const BIGNUM* base, Bytes exponent, Bytes p) {
  const SecretNumber secret(new_number(exponent));
  BN_set_flags(secret.get(), BN_FLG_CONSTTIME);
  const Number modulus(new_number(p));
  const SecretNumber result(BN_secure_new());
  const Scratch scratch(BN_CTX_secure_new());
  PLUMB_CHECK(result && scratch);
  PLUMB_CHECK(BN_mod_exp(result.get(), base, secret.get(), modulus.get(), scratch.get()) == 1);
  SecretBytes bytes(p.size());
  PLUMB_CHECK(BN_bn2binpad(result.get(), bytes.bytes().data(), static_cast<int>(bytes.size())) ==
              static_cast<int>(bytes.size()));
  return bytes;
}

/// 1 < number < p-1: what is left out are the values whose powers are known beforehand.
bool is_public_value(const BIGNUM* number, Bytes p) {
  const Number last(new_number(p));
  PLUMB_CHECK(BN_sub_word(last.get(), 1) == 1);
  return BN_cmp(number, BN_value_one()) > 0 && BN_cmp(number, last.get()) < 0;
}

ModpGroup rfc3526(BIGNUM* (*prime)(BIGNUM*)) {
  const Number p(prime(nullptr));
  PLUMB_CHECK(p != nullptr);
  std::vector<uint8_t> bytes(static_cast<size_t>(BN_num_bytes(p.get())));
  BN_bn2bin(p.get(), bytes.data());
  constexpr uint8_t kTwo[] = {2};
  return {bytes, kTwo};
}

}  // namespace

ModpGroup::ModpGroup(Bytes p, Bytes g) : p_(without_leading_zeros(p)), g_(without_leading_zeros(g)) {
  PLUMB_CHECK(!p_.empty() && (p_.back() & 1) == 1 && is_public_value(Number(new_number(g_)).get(), p_));
}

size_t ModpGroup::bits() const { return 8 * p_.size() - static_cast<size_t>(std::countl_zero(p_[0])); }

SecretBytes ModpGroup::draw(RandomSource& random) const {
  PLUMB_CHECK(p_.size() > kExponentSize);
  SecretBytes secret(kExponentSize);
  random.fill(secret.bytes());
  secret.bytes()[0] |= 0x80;
  return secret;
}

std::vector<uint8_t> ModpGroup::public_value(Bytes secret) const {
  const SecretBytes value = power(Number(new_number(g_)).get(), secret, p_);
  std::vector<uint8_t> magnitude = without_leading_zeros(value.bytes());
  if (!magnitude.empty() && (magnitude[0] & 0x80) != 0) magnitude.insert(magnitude.begin(), 0);
  return magnitude;
}

Result<SecretBytes> ModpGroup::agree(Bytes secret, Bytes peer) const {
  const bool negative = !peer.empty() && (peer[0] & 0x80) != 0;
  const bool needless_zero = !peer.empty() && peer[0] == 0 && (peer.size() == 1 || (peer[1] & 0x80) == 0);
  if (negative || needless_zero || peer.size() > p_.size() + 1) {
    return fail(ErrorCode::kProtocol, "the peer's Diffie-Hellman value is not an mpint of the group's size");
  }
  const Number base(new_number(peer));
  if (!is_public_value(base.get(), p_)) {
    return fail(ErrorCode::kProtocol, "the peer's Diffie-Hellman value does not lie between 1 and p-1");
  }
  return power(base.get(), secret, p_);
}

const ModpGroup& modp_group14() {
  static const ModpGroup group = rfc3526(BN_get_rfc3526_prime_2048);
  return group;
}

const ModpGroup& modp_group16() {
  static const ModpGroup group = rfc3526(BN_get_rfc3526_prime_4096);
  return group;
}

const ModpGroup& modp_group18() {
  static const ModpGroup group = rfc3526(BN_get_rfc3526_prime_8192);
  return group;
}

}  // namespace plumb
