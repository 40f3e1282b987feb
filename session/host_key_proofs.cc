#include "session/host_key_proofs.h"

#include <algorithm>

#include "channels/global_requests.h"
#include "core/wire.h"
#include "keys/signature.h"

namespace plumb {
namespace {

std::vector<uint8_t> signed_part(Bytes session_id, Bytes key) {
  std::vector<uint8_t> message;
  Writer writer(message);
  writer.text(global::ProveHostKeys::kName);
  writer.string(session_id);
  writer.string(key);
  return message;
}

// Only RSA has a choice.
std::string_view choose_algorithm(std::string_view key_type, std::string_view agreed) {
  const std::vector<std::string_view> ours = algorithms_of_key_type(key_type);
  const auto found = std::find(ours.begin(), ours.end(), agreed);
  if (found != ours.end()) return *found;
  return ours.empty() ? key_type : ours.front();
}

bool signature_is_good(const PublicKey& key, Bytes session_id, Bytes signature) {
  const std::string_view algorithm = Reader(signature).text();
  const std::vector<std::string_view> ours = algorithms_of_key_type(key.type());
  if (std::find(ours.begin(), ours.end(), algorithm) == ours.end()) return false;
  return key.verify(algorithm, signed_part(session_id, key.blob()), signature).has_value();
}

}  // namespace

std::vector<uint8_t> write_host_keys(const std::vector<const PrivateKey*>& keys) {
  std::vector<uint8_t> body;
  for (const PrivateKey* key : keys) Writer(body).string(key->public_key().blob());
  return body;
}

std::vector<uint8_t> write_host_keys(const std::vector<PublicKey>& keys) {
  std::vector<uint8_t> body;
  for (const PublicKey& key : keys) Writer(body).string(key.blob());
  return body;
}

Result<std::vector<PublicKey>> parse_host_keys(Bytes body, const PublicKey& shown) {
  Reader reader(body);
  std::vector<PublicKey> keys;
  for (size_t count = 0; reader.remaining() != 0; count++) {
    if (count == kMaxHostKeys) return fail(ErrorCode::kLimit, "the server tells of more than 64 host keys");
    Result<PublicKey> key = PublicKey::parse(reader.string());
    if (!key || *key == shown || std::find(keys.begin(), keys.end(), *key) != keys.end()) continue;
    keys.push_back(*std::move(key));
  }
  if (!reader.ok()) return fail(ErrorCode::kProtocol, "the server's list of host keys is malformed");
  return keys;
}

Result<std::vector<uint8_t>> prove_host_keys(Bytes asked, const std::vector<const PrivateKey*>& keys, Bytes session_id,
                                             std::string_view agreed) {
  Reader reader(asked);
  std::vector<uint8_t> body;
  for (size_t count = 0; reader.remaining() != 0; count++) {
    const Bytes blob = reader.string();
    const auto found = std::find_if(keys.begin(), keys.end(), [&](const PrivateKey* key) {
      const Bytes ours = key->public_key().blob();
      return std::equal(ours.begin(), ours.end(), blob.begin(), blob.end());
    });
    if (count == kMaxHostKeys || !reader.ok() || found == keys.end())
      return fail(ErrorCode::kProtocol, "the client asks for proof of a host key that is not ours");
    const PublicKey& key = (*found)->public_key();
    const auto signature = (*found)->sign(choose_algorithm(key.type(), agreed), signed_part(session_id, blob));
    if (!signature) return tl::unexpected(signature.error());
    Writer(body).string(*signature);
  }
  return body;
}

bool proves_all(Bytes body, const std::vector<PublicKey>& keys, Bytes session_id) {
  Reader reader(body);
  for (const PublicKey& key : keys) {
    const Bytes signature = reader.string();
    if (!reader.ok() || !signature_is_good(key, session_id, signature)) return false;
  }
  return reader.done();
}

}  // namespace plumb
