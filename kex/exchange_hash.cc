#include "kex/exchange_hash.h"

#include "core/endian.h"

namespace plumb {

std::vector<uint8_t> exchange_hash(HashId hash, const ExchangeHashInput& input) {
  Hash state(hash);
  const auto string = [&state](Bytes bytes) {
    uint8_t length[4];
    store_be32(length, static_cast<uint32_t>(bytes.size()));
    state.update(length);
    state.update(bytes);
  };
  string(as_bytes(input.client_identification));
  string(as_bytes(input.server_identification));
  string(input.client_kexinit);
  string(input.server_kexinit);
  string(input.host_key);
  state.update(input.group);
  string(input.client_value);
  string(input.server_value);
  state.update(input.k);  // encoded already: an mpint or a string, by the method
  std::vector<uint8_t> digest(hash_size(hash));
  state.finish(digest);
  return digest;
}

}  // namespace plumb
