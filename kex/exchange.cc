#include "kex/exchange.h"

#include <utility>

#include "core/check.h"
#include "kex/dh_kem.h"
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
Agreement agree(HashId hash, const ExchangeContext& context, const std::optional<ExchangedGroup>& group,
                Bytes client_value, Bytes server_value, Bytes host_key, SecretBytes k) {
  const std::vector<uint8_t> hashed_group = group ? group->hashed() : std::vector<uint8_t>();
  std::vector<uint8_t> h = exchange_hash(hash, {.client_identification = context.client_identification,
                                                .server_identification = context.server_identification,
                                                .client_kexinit = context.client_kexinit,
                                                .server_kexinit = context.server_kexinit,
                                                .host_key = host_key,
                                                .client_value = client_value,
                                                .server_value = server_value,
                                                .k = k.bytes(),
                                                .group = hashed_group});
  return {std::move(h), std::move(k)};
}

/// The same fields under the number that the method has for them.
template <class Message, class GroupExchangeMessage>
Result<Message> parse_either(const KexMethod& method, Bytes payload) {
  if (!method.is_group_exchange()) return parse_message<Message>(payload);
  const Result<GroupExchangeMessage> message = parse_message<GroupExchangeMessage>(payload);
  if (!message) return tl::unexpected(message.error());
  return Message(*message);
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
    : method_(method), host_key_algorithm_(std::move(host_key_algorithm)), random_(random) {
  if (method.is_group_exchange()) {
    payload_ = to_payload(KexDhGexRequest{kGroupSizes.min, kGroupSizes.preferred, kGroupSizes.max});
    return;
  }
  kem_ = method.start(random);
  payload_ = to_payload(KexEcdhInit{.client_value = kem_->public_value()});
}

uint8_t ClientExchange::due() const {
  if (awaits_group()) return msg::kKexDhGexGroup;
  return method_.is_group_exchange() ? msg::kKexDhGexReply : msg::kKexEcdhReply;
}

Result<void> ClientExchange::take_group(Bytes payload) {
  PLUMB_CHECK(awaits_group());
  Result<ModpGroup> group = parse_group(payload, kGroupSizes);
  if (!group) return tl::unexpected(group.error());
  group_.emplace(ExchangedGroup{kGroupSizes, *std::move(group)});
  kem_ = start_dh(group_->group, random_);
  payload_ = to_payload(KexDhGexInit{{.client_value = kem_->public_value()}});
  return {};
}

Result<ExchangeResult> ClientExchange::finish(const ExchangeContext& context, Bytes reply_payload, EncodeK encode_k) {
  PLUMB_CHECK(kem_ != nullptr);  // one reply to one init
  const std::unique_ptr<KemClient> kem = std::move(kem_);

  const Result<KexEcdhReply> reply = parse_either<KexEcdhReply, KexDhGexReply>(method_, reply_payload);
  if (!reply) return tl::unexpected(reply.error());
  Result<PublicKey> host_key = parse_host_key(reply->host_key, host_key_algorithm_);
  if (!host_key) return tl::unexpected(host_key.error());
  const Result<SharedSecret> secret = kem->finish(reply->server_value);
  if (!secret) return tl::unexpected(secret.error());

  Agreement agreed = agree(method_.hash, context, group_, kem->public_value(), reply->server_value, reply->host_key,
                           encode_k != nullptr ? encode_k(*secret) : secret->encode());
  const Result<Verified> verified = host_key->verify(host_key_algorithm_, agreed.h, reply->signature);
  if (!verified) return host_key_error(verified.error());
  return ExchangeResult{method_.hash, std::move(agreed.h), std::move(agreed.k), *std::move(host_key), *verified};
}

uint8_t ServerExchange::due() const {
  if (awaits_request()) return msg::kKexDhGexRequest;
  return method_.is_group_exchange() ? msg::kKexDhGexInit : msg::kKexEcdhInit;
}

Result<std::vector<uint8_t>> ServerExchange::take_request(Bytes payload, const Moduli& moduli) {
  PLUMB_CHECK(awaits_request());
  const Result<KexDhGexRequest> request = parse_message<KexDhGexRequest>(payload);
  if (!request) return tl::unexpected(request.error());
  const GroupSizes sizes{request->min, request->preferred, request->max};
  Result<ModpGroup> group = moduli.choose(sizes, random_);
  if (!group) return tl::unexpected(group.error());
  group_.emplace(ExchangedGroup{sizes, *std::move(group)});
  return to_payload(KexDhGexGroup{group_->group.p(), group_->group.g()});
}

Result<ServerReply> ServerExchange::respond(const ExchangeContext& context, Bytes init_payload, EncodeK encode_k) {
  PLUMB_CHECK(!awaits_request());
  const Result<KexEcdhInit> init = parse_either<KexEcdhInit, KexDhGexInit>(method_, init_payload);
  if (!init) return tl::unexpected(init.error());
  const Result<KemResponse> response =
      group_ ? respond_dh(group_->group, init->client_value, random_) : method_.respond(init->client_value, random_);
  if (!response) return tl::unexpected(response.error());

  const PublicKey& shown = host_key_.public_key();
  Agreement agreed = agree(method_.hash, context, group_, init->client_value, response->public_value, shown.blob(),
                           encode_k != nullptr ? encode_k(response->secret) : response->secret.encode());
  const Result<std::vector<uint8_t>> signature = host_key_.sign(host_key_algorithm_, agreed.h);
  if (!signature) return tl::unexpected(signature.error());
  // A signature that went wrong (a flipped bit in an RSA half) gives the private key away, so none leaves unchecked.
  const Result<Verified> verified = shown.verify(host_key_algorithm_, agreed.h, *signature);
  if (!verified) return tl::unexpected(verified.error());

  const KexEcdhReply reply{.host_key = shown.blob(), .server_value = response->public_value, .signature = *signature};
  std::vector<uint8_t> payload = group_ ? to_payload(KexDhGexReply{reply}) : to_payload(reply);
  return ServerReply{std::move(payload), {method_.hash, std::move(agreed.h), std::move(agreed.k), shown, *verified}};
}

Result<ServerReply> respond_to_exchange(const KexMethod& method, std::string_view host_key_algorithm,
                                        const PrivateKey& host_key, const ExchangeContext& context, Bytes init_payload,
                                        RandomSource& random, EncodeK encode_k) {
  return ServerExchange(method, std::string(host_key_algorithm), host_key, random)
      .respond(context, init_payload, encode_k);
}

}  // namespace plumb
