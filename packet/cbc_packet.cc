#include "packet/cbc_packet.h"

#include "core/endian.h"
#include "core/secret.h"

namespace plumb {
namespace {

Framing cbc_framing(const MacSpec& mac) {
  Framing framing = mac_framing(16, mac);
  framing.hides_faults = !mac.etm;
  return framing;
}

}  // namespace

CbcSealer::CbcSealer(const DirectionKeys& keys, const MacSpec& mac, const KernelSet& kernels)
    : framing_(cbc_framing(mac)),
      cbc_(AesCbc::Direction::kEncrypt, keys.key.bytes(), keys.iv.bytes()),
      mac_(mac, keys.mac_key.bytes(), kernels) {}

void CbcSealer::seal(uint32_t sequence, MutBytes packet, MutBytes tag) noexcept {
  const bool etm = framing_.length_is_aad;
  const PacketRef one{packet, tag};
  if (!etm) mac_.compute(sequence, {&one, 1});
  cbc_.crypt(etm ? packet.subspan(kLengthField) : packet);
  if (etm) mac_.compute(sequence, {&one, 1});
}

CbcOpener::CbcOpener(const DirectionKeys& keys, const MacSpec& mac, const KernelSet& kernels)
    : framing_(cbc_framing(mac)),
      cbc_(AesCbc::Direction::kDecrypt, keys.key.bytes(), keys.iv.bytes()),
      mac_(mac, keys.mac_key.bytes(), kernels) {}

uint32_t CbcOpener::open_length(uint32_t /*sequence*/, MutBytes head) noexcept {
  if (!framing_.length_is_aad) cbc_.crypt(head);
  return load_be32(head.data());
}

bool CbcOpener::open(uint32_t sequence, MutBytes packet, Bytes tag) noexcept {
  const bool etm = framing_.length_is_aad;
  if (!etm) cbc_.crypt(packet.subspan(framing_.head));
  if (!mac_.verify(sequence, packet, tag)) {
    wipe(packet);
    return false;
  }
  if (etm) cbc_.crypt(packet.subspan(kLengthField));
  return true;
}

std::unique_ptr<Sealer> make_cbc_sealer(const DirectionKeys& keys, const MacSpec* mac, const KernelSet& kernels) {
  return std::make_unique<CbcSealer>(keys, *mac, kernels);
}

std::unique_ptr<Opener> make_cbc_opener(const DirectionKeys& keys, const MacSpec* mac, const KernelSet& kernels) {
  return std::make_unique<CbcOpener>(keys, *mac, kernels);
}

std::string cbc_kernel_names(const KernelSet& kernels, const MacSpec* mac) {
  return "libcrypto" + mac_kernel_name(kernels, *mac);
}

}  // namespace plumb
