// One key exchange after negotiation, as pure steps: payloads in, payloads and keys out. The session owns the order of
// messages, the sequence numbers and the moment when keys change.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/random.h"
#include "core/result.h"
#include "core/secret.h"
#include "kex/group_exchange.h"
#include "kex/kem.h"
#include "kex/methods.h"
#include "keys/private_key.h"
#include "keys/public_key.h"

namespace plumb {

/// What both sides already sent: enters H. Views must outlive the exchange.
struct ExchangeContext {
  std::string_view client_identification, server_identification;
  Bytes client_kexinit, server_kexinit;
};

/// A finished exchange. Keys come from it by letter once the session id is known.
struct ExchangeResult {
  HashId hash;
  std::vector<uint8_t> exchange_hash;  ///< H
  SecretBytes k;                       ///< K as hashed
  PublicKey host_key;
  Verified verified;  ///< the host key signed H
};

/// Replaces `SharedSecret::encode` where a fault is planted; null otherwise.
using EncodeK = SecretBytes (*)(const SharedSecret&);

/// The client's part. One round trip, or two in group exchange:
///
///   payload ──▶ finish
///   payload ──▶ take_group ──▶ finish     if `awaits_group`
class ClientExchange {
 public:
  /// `random` must outlive the object.
  ClientExchange(const KexMethod& method, std::string host_key_algorithm, RandomSource& random);

  /// The payload to send: KEX_ECDH_INIT or KEX_DH_GEX_REQUEST. Lives as long as the object, unless `take_group` makes
  /// the next one.
  Bytes payload() const { return payload_; }

  /// Whether the server's next message is KEX_DH_GEX_GROUP.
  bool awaits_group() const { return method_.is_group_exchange() && !group_; }

  /// The number of the server's next message.
  uint8_t due() const;

  /// KEX_DH_GEX_GROUP: checks the group. `payload` is KEX_DH_GEX_INIT from now on.
  Result<void> take_group(Bytes payload);

  /// Takes the KEX_ECDH_REPLY or KEX_DH_GEX_REPLY payload: checks the host key's type against the negotiated algorithm,
  /// the server's value and the signature over H.
  Result<ExchangeResult> finish(const ExchangeContext& context, Bytes reply_payload, EncodeK encode_k = nullptr);

 private:
  const KexMethod& method_;
  std::string host_key_algorithm_;
  RandomSource& random_;
  std::optional<ExchangedGroup> group_;
  std::unique_ptr<KemClient> kem_;
  std::vector<uint8_t> payload_;
};

/// The server's last message, and the result.
struct ServerReply {
  std::vector<uint8_t> payload;  ///< KEX_ECDH_REPLY or KEX_DH_GEX_REPLY
  ExchangeResult result;
};

/// The server's part:
///
///   respond
///   take_request ──▶ respond     if `awaits_request`
class ServerExchange {
 public:
  /// `host_key` and `random` must outlive the object.
  ServerExchange(const KexMethod& method, std::string host_key_algorithm, const PrivateKey& host_key,
                 RandomSource& random)
      : method_(method), host_key_algorithm_(std::move(host_key_algorithm)), host_key_(host_key), random_(random) {}

  /// Whether the client's next message is KEX_DH_GEX_REQUEST.
  bool awaits_request() const { return method_.is_group_exchange() && !group_; }

  /// The number of the client's next message.
  uint8_t due() const;

  /// KEX_DH_GEX_REQUEST: chooses a group. Returns the KEX_DH_GEX_GROUP payload to send.
  Result<std::vector<uint8_t>> take_request(Bytes payload, const Moduli& moduli);

  /// KEX_ECDH_INIT or KEX_DH_GEX_INIT: checks the client's value, agrees and signs.
  Result<ServerReply> respond(const ExchangeContext& context, Bytes init_payload, EncodeK encode_k = nullptr);

 private:
  const KexMethod& method_;
  std::string host_key_algorithm_;
  const PrivateKey& host_key_;
  RandomSource& random_;
  std::optional<ExchangedGroup> group_;
};

/// `ServerExchange` in one call, for methods of one round trip.
Result<ServerReply> respond_to_exchange(const KexMethod& method, std::string_view host_key_algorithm,
                                        const PrivateKey& host_key, const ExchangeContext& context, Bytes init_payload,
                                        RandomSource& random, EncodeK encode_k = nullptr);

}  // namespace plumb
