#include "session/key_exchange.h"

#include <algorithm>

#include "core/check.h"
#include "core/message_ids.h"
#include "kex/derive.h"
#include "keys/signature.h"

namespace plumb {
namespace {

bool is_aead(std::string_view name) {
  const CipherSpec* cipher = find_cipher(name);
  return cipher != nullptr && cipher->aead;
}

// `wish`, or all that a table holds and does not mark as legacy.
template <class Table>
NameList names(const NameList& wish, const Table& table) {
  if (!wish.empty()) return wish;
  NameList all;
  for (const auto& line : table) {
    if constexpr (requires { line.legacy; }) {
      if (line.legacy) continue;
    }
    all.emplace_back(line.name);
  }
  return all;
}

// The three letters of one direction (RFC 4253 §7.2).
struct Letters {
  char iv, key, mac_key;
};
constexpr Letters kClientToServer{'A', 'C', 'E'};
constexpr Letters kServerToClient{'B', 'D', 'F'};

bool same_first(const NameList& a, const NameList& b) { return !a.empty() && !b.empty() && a.front() == b.front(); }

}  // namespace

PeerStep KeyExchange::peer_step() const {
  switch (step_) {
    case Step::kIdle:
    case Step::kInitSent: return PeerStep::kAny;
    case Step::kMethod: break;
    case Step::kAwaitVerdict:
    case Step::kReadyToSwitch:
    case Step::kAwaitNewKeys: return PeerStep::kNewKeys;
  }
  const bool groups = negotiated_->kex->is_group_exchange();
  if (is_client()) {
    if (as_client_->awaits_group()) return PeerStep::kGexGroup;
    return groups ? PeerStep::kGexReply : PeerStep::kKexReply;
  }
  if (as_server_->awaits_request()) return PeerStep::kGexRequest;
  return groups ? PeerStep::kGexInit : PeerStep::kKexInit;
}

Proposal KeyExchange::make_proposal() const {
  const Algorithms& wish = config_.algorithms;
  Proposal proposal;
  config_.random->fill(proposal.cookie);
  proposal.kex = names(wish.kex, kex_methods());
  proposal.host_keys = host_key_algorithms();
  proposal.ciphers_c2s = names(wish.ciphers_c2s, cipher_specs());
  proposal.ciphers_s2c = names(wish.ciphers_s2c, cipher_specs());
  if (!wish.no_macs) {
    proposal.macs_c2s = names(wish.macs_c2s, mac_specs());
    proposal.macs_s2c = names(wish.macs_s2c, mac_specs());
  }
  if (completed_ != 0) return proposal;
  proposal.kex.emplace_back(is_client() ? kExtInfoClient : kExtInfoServer);
  proposal.kex.emplace_back(is_client() ? kStrictKexClient : kStrictKexServer);
  proposal.first_kex_packet_follows = is_client() && config_.guess_kex;
  return proposal;
}

NameList KeyExchange::host_key_algorithms() const {
  const NameList& wish = config_.algorithms.host_keys;
  if (is_client()) return names(wish, signature_algorithms());
  // A server offers what it has keys for.
  NameList ours;
  if (!wish.empty()) {
    std::copy_if(wish.begin(), wish.end(), std::back_inserter(ours),
                 [this](const std::string& name) { return host_key_for(name) != nullptr; });
    return ours;
  }
  for (const PrivateKey* key : config_.host_keys) {
    for (const std::string_view name : algorithms_of_key_type(key->public_key().type())) {
      if (!contains_name(ours, name)) ours.emplace_back(name);
    }
  }
  return ours;
}

const PrivateKey* KeyExchange::host_key_for(std::string_view algorithm) const {
  const SignatureAlgorithm* spec = find_signature_algorithm(algorithm);
  if (spec == nullptr) return nullptr;
  const auto found = std::find_if(config_.host_keys.begin(), config_.host_keys.end(),
                                  [&](const PrivateKey* key) { return key->public_key().type() == spec->key_type; });
  return found == config_.host_keys.end() ? nullptr : *found;
}

Bytes KeyExchange::begin() {
  PLUMB_CHECK(step_ == Step::kIdle);
  ours_ = make_proposal();
  step_ = Step::kInitSent;
  if (ours_.first_kex_packet_follows) {
    const KexMethod* method = find_kex_method(ours_.kex.front());
    PLUMB_CHECK(method != nullptr);
    as_client_ = std::make_unique<ClientExchange>(*method, ours_.host_keys.front(), *config_.random);
    guessed_ = true;
  }
  return ours(client_kexinit_, server_kexinit_) = write_proposal(ours_);
}

Bytes KeyExchange::guess() const { return guessed_ ? as_client_->payload() : Bytes(); }

Result<void> KeyExchange::agree(const Proposal& theirs) {
  NoCommon no_common{};
  const Proposal& client = is_client() ? ours_ : theirs;
  const Proposal& server = is_client() ? theirs : ours_;
  Result<Negotiated> agreed = negotiate(client, server, is_client(), is_aead, &no_common);
  if (!agreed) {
    if (agreed.error().code == ErrorCode::kNoCommon) detail_ = describe(no_common);
    return tl::unexpected(agreed.error());
  }
  c2s_ = {find_cipher(agreed->c2s.cipher), find_mac(agreed->c2s.mac)};
  s2c_ = {find_cipher(agreed->s2c.cipher), find_mac(agreed->s2c.mac)};
  const auto usable = [](const Suite& suite) {
    return suite.cipher != nullptr && suite.cipher->aead == (suite.mac == nullptr);
  };
  if (!usable(c2s_) || !usable(s2c_))
    return fail(ErrorCode::kUsage, "a cipher or MAC was offered that this program does not have");
  negotiated_ = *std::move(agreed);
  return {};
}

Result<Bytes> KeyExchange::take_kexinit(Bytes payload, uint32_t sequence) {
  PLUMB_CHECK(step_ == Step::kInitSent);
  const Result<Proposal> peer = parse_proposal(payload);
  if (!peer) return tl::unexpected(peer.error());
  theirs(client_kexinit_, server_kexinit_).assign(payload.begin(), payload.end());
  if (Result<void> agreed = agree(*peer); !agreed) return tl::unexpected(agreed.error());
  // Markers count in the first exchange alone; what was agreed there holds for ever.
  if (completed_ == 0) strict_ = negotiated_->strict;
  if (completed_ == 0 && strict_ && sequence != 0)
    return fail(ErrorCode::kProtocol,
                the_peer<"'s KEXINIT was not its first packet, which strict key exchange demands">(config_.role));
  drop_guess_ = negotiated_->wrong_guess;
  step_ = Step::kMethod;
  const KexMethod& method = *negotiated_->kex;
  if (!is_client()) {
    as_server_ = std::make_unique<ServerExchange>(method, negotiated_->host_key, *host_key_for(negotiated_->host_key),
                                                  *config_.random);
    return Bytes();
  }
  // The server has kept our guess exactly if both lists begin alike (RFC 4253 §7).
  if (guessed_ && same_first(ours_.kex, peer->kex) && same_first(ours_.host_keys, peer->host_keys)) {
    guessed_ = false;
    return Bytes();
  }
  guessed_ = false;
  as_client_ = std::make_unique<ClientExchange>(method, negotiated_->host_key, *config_.random);
  return as_client_->payload();
}

bool KeyExchange::drops_guess(uint8_t message) {
  const bool of_the_method = message >= 30 && message < 50;
  if (!drop_guess_ || !of_the_method) return false;
  drop_guess_ = false;
  return true;
}

Result<Bytes> KeyExchange::take_method_message(Bytes payload) {
  PLUMB_CHECK(step_ == Step::kMethod);
  return is_client() ? take_as_client(payload) : take_as_server(payload);
}

ExchangeContext KeyExchange::context() const {
  return {client_identification_, server_identification_, client_kexinit_, server_kexinit_};
}

Result<Bytes> KeyExchange::take_as_client(Bytes payload) {
  if (as_client_->awaits_group()) {
    if (Result<void> taken = as_client_->take_group(payload); !taken) return tl::unexpected(taken.error());
    return as_client_->payload();
  }
  Result<ExchangeResult> result = as_client_->finish(context(), payload, config_.hooks.encode_k);
  as_client_.reset();
  if (!result) return tl::unexpected(result.error());
  take_result(*result);
  if (!host_key_) {
    host_key_ = std::move(result->host_key);
    step_ = Step::kAwaitVerdict;
    return Bytes();
  }
  if (!(result->host_key == *host_key_))
    return fail(ErrorCode::kHostKey, "the server showed another host key than at the start of the connection");
  step_ = Step::kReadyToSwitch;
  return Bytes();
}

Result<Bytes> KeyExchange::take_as_server(Bytes payload) {
  if (as_server_->awaits_request()) {
    Result<std::vector<uint8_t>> group = as_server_->take_request(payload, config_.moduli);
    if (!group) return tl::unexpected(group.error());
    to_send_ = *std::move(group);
    return Bytes(to_send_);
  }
  Result<ServerReply> reply = as_server_->respond(context(), payload, config_.hooks.encode_k);
  as_server_.reset();
  if (!reply) return tl::unexpected(reply.error());
  take_result(reply->result);
  if (!host_key_) host_key_ = std::move(reply->result.host_key);
  step_ = Step::kReadyToSwitch;
  to_send_ = std::move(reply->payload);
  return Bytes(to_send_);
}

void KeyExchange::accept_host_key() {
  PLUMB_CHECK(step_ == Step::kAwaitVerdict);
  step_ = Step::kReadyToSwitch;
}

DirectionKeys KeyExchange::keys(const ExchangeResult& result, bool c2s) const {
  const auto derive = config_.hooks.derive_key != nullptr ? config_.hooks.derive_key : derive_key;
  const auto key = [&](char letter, size_t size) {
    if (size == 0) return SecretBytes();
    return derive(result.hash, result.k.bytes(), result.exchange_hash, letter, session_id_, size);
  };
  const Letters& letters = c2s ? kClientToServer : kServerToClient;
  const Suite& suite = c2s ? c2s_ : s2c_;
  return {key(letters.iv, suite.cipher->iv_size), key(letters.key, suite.cipher->key_size),
          key(letters.mac_key, suite.mac == nullptr ? 0 : suite.mac->key_size)};
}

void KeyExchange::take_result(const ExchangeResult& result) {
  if (session_id_.empty()) session_id_ = result.exchange_hash;
  const auto seal = config_.hooks.make_sealer != nullptr ? config_.hooks.make_sealer : make_sealer;
  const auto open = config_.hooks.make_opener != nullptr ? config_.hooks.make_opener : make_opener;
  const bool sends_c2s = is_client();
  const Suite& out = sends_c2s ? c2s_ : s2c_;
  const Suite& in = sends_c2s ? s2c_ : c2s_;
  sealer_ = seal(*out.cipher, out.mac, keys(result, sends_c2s), *config_.kernels);
  opener_ = open(*in.cipher, in.mac, keys(result, !sends_c2s), *config_.kernels);
}

void KeyExchange::end() {
  PLUMB_CHECK(step_ == Step::kAwaitNewKeys);
  completed_++;
  step_ = Step::kIdle;
}

}  // namespace plumb
