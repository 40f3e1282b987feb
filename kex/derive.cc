#include "kex/derive.h"

#include <algorithm>

#include "core/check.h"

namespace plumb {

SecretBytes derive_key(HashId hash, Bytes k, Bytes exchange_hash, char letter, Bytes session_id, size_t size) {
  PLUMB_CHECK('A' <= letter && letter <= 'F');
  const uint8_t letter_byte = static_cast<uint8_t>(letter);
  SecretBytes key(size);
  SecretArray<kMaxHashSize> digest;
  const MutBytes block = digest.bytes().first(hash_size(hash));
  for (size_t made = 0; made < size;) {
    Hash state(hash);
    state.update(k);
    state.update(exchange_hash);
    if (made == 0) {
      state.update({&letter_byte, 1});
      state.update(session_id);
    } else {
      state.update(key.bytes().first(made));
    }
    state.finish(block);
    const size_t taken = std::min(block.size(), size - made);
    std::copy_n(block.begin(), taken, key.bytes().begin() + made);
    made += taken;
  }
  return key;
}

}  // namespace plumb
