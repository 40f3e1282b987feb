#include "kex/exchange.h"

#include <utility>

#include "core/check.h"
#include "kex/exchange_hash.h"
#include "kex/messages.h"
#include "keys/signature.h"

namespace plumb {
namespace {

/// H and K of both sides: the one place that says what goes where.
struct Agreement {
  std::vector<uint8_t> h;
  SecretBytes k;
};
Agreement agree(HashId hash, const ExchangeContext& context, Bytes client_value, Bytes server_value, Bytes host_key,
                SecretBytes k) {
  std::vector<uint8_t> h = exchange_hash(hash, {.client_identification = context.client_identification,
                                                .server_identification = context.server_identification,
                                                .client_kexinit = context.client_kexinit,
                                                .server_kexinit = context.server_kexinit,
                                                .host_key = host_key,
                                                .client_value = client_value,
                                                .server_value = server_value,
                                                .k = k.bytes()});
  return {std::move(h), std::move(k)};
}

/// A key or signature that cannot be used is a matter of the host key for whoever reports it, however it is malformed.
tl::unexpected<Error> host_key_error(const Error& error) { return fail(ErrorCode::kHostKey, error.text); }

Result<PublicKey> parse_host_key(Bytes blob, std::string_view algorithm) {
  const SignatureAlgorithm* expected = find_signature_algorithm(algorithm);
  PLUMB_CHECK(expected != nullptr);
  Result<PublicKey> key = PublicKey::parse(blob);
  if (!key) return host_key_error(key.error());
  if (key->type() != expected->key_type) {
    return fail(ErrorCode::kHostKey, "the server shows a host key of another type than was negotiated");
  }
  return key;
}

}  // namespace

ClientExchange::ClientExchange(const KexMethod& method, std::string host_key_algorithm, RandomSource& random)
    : method_(method),
      host_key_algorithm_(std::move(host_key_algorithm)),
      kem_(method.start(random)),
      init_(to_payload(KexEcdhInit{.client_value = kem_->public_value()})) {}

Result<ExchangeResult> ClientExchange::finish(const ExchangeContext& context, Bytes reply_payload,
                                              SecretBytes (*encode_k)(const SharedSecret&)) {
  PLUMB_CHECK(kem_ != nullptr);  // one reply to one init
  const std::unique_ptr<KemClient> kem = std::move(kem_);

  const Result<KexEcdhReply> reply = parse_message<KexEcdhReply>(reply_payload);
  if (!reply) return tl::unexpected(reply.error());
  Result<PublicKey> host_key = parse_host_key(reply->host_key, host_key_algorithm_);
  if (!host_key) return tl::unexpected(host_key.error());
  const Result<SharedSecret> secret = kem->finish(reply->server_value);
  if (!secret) return tl::unexpected(secret.error());

  Agreement agreed = agree(method_.hash, context, kem->public_value(), reply->server_value, reply->host_key,
                           encode_k != nullptr ? encode_k(*secret) : secret->encode());
  const Result<Verified> verified = host_key->verify(host_key_algorithm_, agreed.h, reply->signature);
  if (!verified) return host_key_error(verified.error());
  return ExchangeResult{method_.hash, std::move(agreed.h), std::move(agreed.k), *std::move(host_key), *verified};
}

Result<ServerReply> respond_to_exchange(const KexMethod& method, std::string_view host_key_algorithm,
                                        const PrivateKey& host_key, const ExchangeContext& context, Bytes init_payload,
                                        RandomSource& random) {
  const Result<KexEcdhInit> init = parse_message<KexEcdhInit>(init_payload);
  if (!init) return tl::unexpected(init.error());
  const Result<KemResponse> response = method.respond(init->client_value, random);
  if (!response) return tl::unexpected(response.error());

  const PublicKey& shown = host_key.public_key();
  Agreement agreed =
      agree(method.hash, context, init->client_value, response->public_value, shown.blob(), response->secret.encode());
  const Result<std::vector<uint8_t>> signature = host_key.sign(host_key_algorithm, agreed.h);
  if (!signature) return tl::unexpected(signature.error());
  // A signature that went wrong (a flipped bit in an RSA half) gives the private key away, so none leaves unchecked.
  const Result<Verified> verified = shown.verify(host_key_algorithm, agreed.h, *signature);
  if (!verified) return tl::unexpected(verified.error());

  std::vector<uint8_t> payload = to_payload(
      KexEcdhReply{.host_key = shown.blob(), .server_value = response->public_value, .signature = *signature});
  return ServerReply{std::move(payload), {method.hash, std::move(agreed.h), std::move(agreed.k), shown, *verified}};
}

}  // namespace plumb
