#include "packet/chachapoly_packet.h"

namespace plumb {

void ChaChaPolySealer::seal(uint32_t sequence, MutBytes packet, MutBytes tag) noexcept {
  cipher_.seal(sequence, packet, tag);
}

uint32_t ChaChaPolyOpener::open_length(uint32_t sequence, MutBytes head) noexcept {
  return cipher_.open_length(sequence, head);
}

bool ChaChaPolyOpener::open(uint32_t sequence, MutBytes packet, Bytes tag) noexcept {
  return cipher_.open(sequence, packet, tag);
}

std::unique_ptr<Sealer> make_chachapoly_sealer(const DirectionKeys& keys, const MacSpec* /*mac*/,
                                               const KernelSet& kernels) {
  return std::make_unique<ChaChaPolySealer>(keys.key.bytes(), kernels);
}

std::unique_ptr<Opener> make_chachapoly_opener(const DirectionKeys& keys, const MacSpec* /*mac*/,
                                               const KernelSet& kernels) {
  return std::make_unique<ChaChaPolyOpener>(keys.key.bytes(), kernels);
}

std::string chachapoly_kernel_names(const KernelSet& kernels, const MacSpec* /*mac*/) {
  return std::string(kernels.chacha20->name) + "+" + kernels.poly1305->name;
}

}  // namespace plumb
