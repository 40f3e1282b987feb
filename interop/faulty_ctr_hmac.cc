#include "interop/faulty_ctr_hmac.h"

#include <array>

#include "core/endian.h"

namespace plumb {
namespace {

constexpr size_t kHmacSha1KeySize = 20;

Bytes mac_key(const CtrHmacRecipe& recipe, const DirectionKeys& keys) {
  const Bytes whole = keys.mac_key.bytes();
  return recipe.mac_key_20_bytes ? whole.first(kHmacSha1KeySize) : whole;
}

}  // namespace

FaultyCtrHmac::FaultyCtrHmac(const CtrHmacRecipe& recipe, const MacSpec& mac, const DirectionKeys& keys,
                             const KernelSet& kernels)
    : recipe_(recipe),
      mac_(mac),
      key_(keys.key.clone()),
      iv_(keys.iv.clone()),
      kernels_(kernels),
      ctr_(std::in_place, key_.bytes(), iv_.bytes(), kernels),
      hmac_(mac.hash.value(), mac_key(recipe, keys), kernels) {}

Framing FaultyCtrHmac::framing() const noexcept {
  return {.head = static_cast<uint8_t>(mac_.etm ? 4 : 16),
          .block = 16,
          .tag = mac_.size,
          .length_is_aad = mac_.etm != recipe_.padding_of_other_order};
}

void FaultyCtrHmac::seal(uint32_t sequence, MutBytes packet, MutBytes tag) noexcept {
  if (recipe_.counter_restarts) ctr_.emplace(key_.bytes(), iv_.bytes(), kernels_);
  std::array<uint8_t, 4> number;
  store_be32(number.data(), sequence);
  const Bytes head = recipe_.mac_without_sequence ? Bytes() : Bytes(number);
  const bool mac_last = mac_.etm != recipe_.mac_of_other_order;
  if (!mac_last) hmac_.compute(head, packet, tag);
  const MutBytes padded = mac_.etm ? packet.subspan(4) : packet;
  // A wrong padding rule leaves a part of a block over: encrypted in a block of its own, as a stream would.
  const size_t whole = padded.size() / 16 * 16;
  ctr_->crypt(padded.first(whole));
  if (whole < padded.size()) {
    std::array<uint8_t, 16> last{};
    const MutBytes rest = padded.subspan(whole);
    std::copy(rest.begin(), rest.end(), last.begin());
    ctr_->crypt(last);
    std::copy_n(last.begin(), rest.size(), rest.begin());
  }
  if (mac_last) hmac_.compute(head, packet, tag);
}

}  // namespace plumb
