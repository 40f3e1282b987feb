// One key exchange after negotiation, as pure steps: payloads in, payloads and keys out. The session owns the order of
// messages, the sequence numbers and the moment when keys change.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/random.h"
#include "core/result.h"
#include "core/secret.h"
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

class ClientExchange {
 public:
  ClientExchange(const KexMethod& method, std::string host_key_algorithm, RandomSource& random);

  /// The KEX_ECDH_INIT payload to send. Lives as long as the object.
  Bytes init_payload() const { return init_; }

  /// Takes the KEX_ECDH_REPLY payload: checks the host key's type against the negotiated algorithm, the server's value
  /// and the signature over H. `encode_k` replaces `SharedSecret::encode` where a fault is planted; null otherwise.
  Result<ExchangeResult> finish(const ExchangeContext& context, Bytes reply_payload,
                                SecretBytes (*encode_k)(const SharedSecret&) = nullptr);

 private:
  const KexMethod& method_;
  std::string host_key_algorithm_;
  std::unique_ptr<KemClient> kem_;
  std::vector<uint8_t> init_;
};

/// The server's whole part: the KEX_ECDH_REPLY payload and the result.
struct ServerReply {
  std::vector<uint8_t> payload;
  ExchangeResult result;
};
Result<ServerReply> respond_to_exchange(const KexMethod& method, std::string_view host_key_algorithm,
                                        const PrivateKey& host_key, const ExchangeContext& context, Bytes init_payload,
                                        RandomSource& random);

}  // namespace plumb
