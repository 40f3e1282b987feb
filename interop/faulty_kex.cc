#include "interop/faulty_kex.h"

#include <algorithm>
#include <vector>

#include "core/wire.h"

namespace plumb {
namespace {

constexpr size_t kSecretSize = 32;  // of X25519 and of ECDH on P-256

bool is_client_to_server(char letter) { return letter == 'A' || letter == 'C' || letter == 'E'; }

SecretBytes as_string(Bytes value) {
  std::vector<uint8_t> out;
  Writer(out).string(value);
  SecretBytes encoded{Bytes(out)};
  wipe(out);
  return encoded;
}

/// A string of the magnitude with all its leading zeros, and the sign byte that an mpint wants.
SecretBytes with_leading_zeros(Bytes value) {
  if (value.empty() || value[0] < 0x80) return as_string(value);
  SecretBytes longer(value.size() + 1);
  std::ranges::copy(value, longer.bytes().begin() + 1);
  return as_string(longer.bytes());
}

/// The fixed-size secret that a right mpint was made from.
SecretBytes fixed_size_secret(Bytes mpint) {
  Reader reader(mpint);
  const Bytes magnitude = reader.mpint();
  SecretBytes secret(std::max(kSecretSize, magnitude.size()));
  std::ranges::copy(magnitude, secret.bytes().end() - static_cast<ptrdiff_t>(magnitude.size()));
  return secret;
}

}  // namespace

SecretBytes encode_k_as_string(const SharedSecret& secret) { return as_string(secret.value.bytes()); }

SecretBytes encode_k_with_leading_zeros(const SharedSecret& secret) { return with_leading_zeros(secret.value.bytes()); }

SecretBytes derive_from_k_as_string(HashId hash, Bytes k, Bytes exchange_hash, char letter, Bytes session_id,
                                    size_t size) {
  if (!is_client_to_server(letter)) return derive_key(hash, k, exchange_hash, letter, session_id, size);
  const SecretBytes wrong = as_string(fixed_size_secret(k).bytes());
  return derive_key(hash, wrong.bytes(), exchange_hash, letter, session_id, size);
}

SecretBytes derive_from_k_with_leading_zeros(HashId hash, Bytes k, Bytes exchange_hash, char letter, Bytes session_id,
                                             size_t size) {
  if (!is_client_to_server(letter)) return derive_key(hash, k, exchange_hash, letter, session_id, size);
  const SecretBytes wrong = with_leading_zeros(fixed_size_secret(k).bytes());
  return derive_key(hash, wrong.bytes(), exchange_hash, letter, session_id, size);
}

SecretBytes derive_without_extension(HashId hash, Bytes k, Bytes exchange_hash, char letter, Bytes session_id,
                                     size_t size) {
  SecretBytes key = derive_key(hash, k, exchange_hash, letter, session_id, size);
  const size_t one_round = hash_size(hash);
  if (is_client_to_server(letter) && size > one_round) wipe(key.bytes().subspan(one_round));
  return key;
}

SecretBytes derive_with_new_session_id(HashId hash, Bytes k, Bytes exchange_hash, char letter, Bytes session_id,
                                       size_t size) {
  return derive_key(hash, k, exchange_hash, letter, is_client_to_server(letter) ? exchange_hash : session_id, size);
}

}  // namespace plumb
