#include "packet/ctr_hmac_packet.h"

#include <array>

#include "ciphers/mac/sha_kernel.h"
#include "core/ct.h"
#include "core/endian.h"
#include "core/secret.h"

namespace plumb {
namespace {

constexpr uint8_t kAesBlock = 16;

std::array<uint8_t, 4> be32(uint32_t v) {
  std::array<uint8_t, 4> bytes;
  store_be32(bytes.data(), v);
  return bytes;
}

}  // namespace

Framing ctr_hmac_framing(const MacSpec& mac) {
  const uint8_t head = mac.etm ? uint8_t{kLengthField} : kAesBlock;
  return {.head = head, .block = kAesBlock, .tag = mac.size, .length_is_aad = mac.etm};
}

CtrHmacSealer::CtrHmacSealer(const DirectionKeys& keys, const MacSpec& mac, const KernelSet& kernels)
    : framing_(ctr_hmac_framing(mac)), keyed_(keys, mac, kernels) {}

void CtrHmacSealer::seal(uint32_t sequence, MutBytes packet, MutBytes tag) noexcept {
  if (framing_.length_is_aad) {
    keyed_.ctr.crypt(packet.subspan(kLengthField));
    keyed_.hmac.compute(be32(sequence), packet, tag);
    return;
  }
  keyed_.hmac.compute(be32(sequence), packet, tag);
  keyed_.ctr.crypt(packet);
}

CtrHmacOpener::CtrHmacOpener(const DirectionKeys& keys, const MacSpec& mac, const KernelSet& kernels)
    : framing_(ctr_hmac_framing(mac)), keyed_(keys, mac, kernels) {}

uint32_t CtrHmacOpener::open_length(uint32_t /*sequence*/, MutBytes head) noexcept {
  if (!framing_.length_is_aad) keyed_.ctr.crypt(head);
  return load_be32(head.data());
}

bool CtrHmacOpener::open(uint32_t sequence, MutBytes packet, Bytes tag) noexcept {
  if (framing_.length_is_aad) {
    if (!verify(sequence, packet, tag)) {
      wipe(packet);
      return false;
    }
    keyed_.ctr.crypt(packet.subspan(kLengthField));
    return true;
  }
  keyed_.ctr.crypt(packet.subspan(framing_.head));
  if (verify(sequence, packet, tag)) return true;
  wipe(packet);
  return false;
}

bool CtrHmacOpener::verify(uint32_t sequence, Bytes packet, Bytes tag) noexcept {
  // The right MAC of a forged packet is a secret: whoever learns it has the forgery.
  SecretArray<kMaxTag> right;
  const MutBytes expected = right.bytes().first(framing_.tag);
  keyed_.hmac.compute(be32(sequence), packet, expected);
  return ct_equal(expected, tag);
}

std::unique_ptr<Sealer> make_ctr_hmac_sealer(const DirectionKeys& keys, const MacSpec* mac, const KernelSet& kernels) {
  return std::make_unique<CtrHmacSealer>(keys, *mac, kernels);
}

std::unique_ptr<Opener> make_ctr_hmac_opener(const DirectionKeys& keys, const MacSpec* mac, const KernelSet& kernels) {
  return std::make_unique<CtrHmacOpener>(keys, *mac, kernels);
}

std::string ctr_hmac_kernel_names(const KernelSet& kernels, const MacSpec* mac) {
  std::string names = kernels.aes_ctr->name;
  if (mac->hash == HashId::kSha256) names.append("+").append(kernels.sha256->name);
  if (mac->hash == HashId::kSha512) names.append("+").append(kernels.sha512->name);
  return names;
}

}  // namespace plumb
