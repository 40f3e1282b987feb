#include "interop/faulty_gcm.h"

#include <algorithm>

#include "core/endian.h"

namespace plumb {

FaultyGcm::FaultyGcm(const GcmRecipe& recipe, const DirectionKeys& keys, const KernelSet& kernels)
    : recipe_(recipe), gcm_(keys.key.bytes(), kernels) {
  std::ranges::copy(keys.iv.bytes(), nonce_.begin());
}

Framing FaultyGcm::framing() const noexcept {
  return {.head = 4, .block = 16, .tag = AesGcm::kTagSize, .length_is_aad = !recipe_.padding_counts_length};
}

void FaultyGcm::seal(uint32_t sequence, MutBytes packet, MutBytes tag) noexcept {
  uint8_t* const counter = nonce_.data() + 4;
  if (recipe_.nonce_is_sequence) store_be64(counter, sequence);
  const Bytes aad = packet.first(4);
  gcm_.seal(nonce_, recipe_.no_aad ? Bytes() : aad, packet.subspan(4), tag);
  if (!recipe_.counter_stands_still) store_be64(counter, load_be64(counter) + 1);
}

}  // namespace plumb
