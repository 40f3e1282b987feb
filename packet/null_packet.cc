#include "packet/null_packet.h"

#include "core/endian.h"

namespace plumb {

void NullSealer::seal(uint32_t /*sequence*/, MutBytes /*packet*/, MutBytes /*tag*/) noexcept {}

uint32_t NullOpener::open_length(uint32_t /*sequence*/, MutBytes head) noexcept { return load_be32(head.data()); }

bool NullOpener::open(uint32_t /*sequence*/, MutBytes /*packet*/, Bytes /*tag*/) noexcept { return true; }

}  // namespace plumb
