#include "session/key_exchange.h"

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

// `wish`, or all that a table holds.
template <class Table>
NameList names(const NameList& wish, const Table& table) {
  if (!wish.empty()) return wish;
  NameList all;
  for (const auto& line : table) all.emplace_back(line.name);
  return all;
}

// The three letters of one direction (RFC 4253 §7.2).
struct Letters {
  char iv, key, mac_key;
};
constexpr Letters kClientToServer{'A', 'C', 'E'};
constexpr Letters kServerToClient{'B', 'D', 'F'};

}  // namespace

PeerStep KeyExchange::peer_step() const {
  switch (step_) {
    case Step::kIdle:
    case Step::kInitSent: return PeerStep::kAny;
    case Step::kAwaitReply: return PeerStep::kKexReply;
    case Step::kAwaitVerdict:
    case Step::kReadyToSwitch:
    case Step::kAwaitNewKeys: return PeerStep::kNewKeys;
  }
  return PeerStep::kNewKeys;
}

Proposal KeyExchange::make_proposal() const {
  const Algorithms& wish = config_.algorithms;
  Proposal proposal;
  config_.random->fill(proposal.cookie);
  proposal.kex = names(wish.kex, kex_methods());
  proposal.host_keys = names(wish.host_keys, signature_algorithms());
  proposal.ciphers_c2s = names(wish.ciphers_c2s, cipher_specs());
  proposal.ciphers_s2c = names(wish.ciphers_s2c, cipher_specs());
  proposal.macs_c2s = names(wish.macs_c2s, mac_specs());
  proposal.macs_s2c = names(wish.macs_s2c, mac_specs());
  if (completed_ == 0) {
    proposal.kex.emplace_back(kExtInfoClient);
    proposal.kex.emplace_back(kStrictKexClient);
  }
  return proposal;
}

Bytes KeyExchange::begin() {
  PLUMB_CHECK(step_ == Step::kIdle);
  ours_ = make_proposal();
  client_kexinit_ = write_proposal(ours_);
  step_ = Step::kInitSent;
  return client_kexinit_;
}

Result<void> KeyExchange::agree(const Proposal& theirs) {
  NoCommon no_common{};
  Result<Negotiated> agreed = negotiate(ours_, theirs, true, is_aead, &no_common);
  if (!agreed) {
    if (agreed.error().code == ErrorCode::kNoCommon) detail_ = describe(no_common);
    return tl::unexpected(agreed.error());
  }
  cipher_c2s_ = find_cipher(agreed->c2s.cipher);
  cipher_s2c_ = find_cipher(agreed->s2c.cipher);
  mac_c2s_ = find_mac(agreed->c2s.mac);
  mac_s2c_ = find_mac(agreed->s2c.mac);
  const auto usable = [](const CipherSpec* cipher, const MacSpec* mac) {
    return cipher != nullptr && cipher->aead == (mac == nullptr);
  };
  if (!usable(cipher_c2s_, mac_c2s_) || !usable(cipher_s2c_, mac_s2c_))
    return fail(ErrorCode::kUsage, "a cipher or MAC was offered that this program does not have");
  negotiated_ = *std::move(agreed);
  return {};
}

Result<Bytes> KeyExchange::take_kexinit(Bytes payload, uint32_t sequence) {
  PLUMB_CHECK(step_ == Step::kInitSent);
  const Result<Proposal> theirs = parse_proposal(payload);
  if (!theirs) return tl::unexpected(theirs.error());
  server_kexinit_.assign(payload.begin(), payload.end());
  if (Result<void> agreed = agree(*theirs); !agreed) return tl::unexpected(agreed.error());
  // Markers count in the first exchange alone; what was agreed there holds for ever.
  if (completed_ == 0) strict_ = negotiated_->strict;
  if (completed_ == 0 && strict_ && sequence != 0)
    return fail(ErrorCode::kProtocol,
                "the server's KEXINIT was not its first packet, which strict key exchange demands");
  drop_guess_ = negotiated_->wrong_guess;
  exchange_ = std::make_unique<ClientExchange>(*negotiated_->kex, negotiated_->host_key, *config_.random);
  step_ = Step::kAwaitReply;
  return exchange_->init_payload();
}

bool KeyExchange::drops_guess(uint8_t message) {
  const bool of_the_method = message >= 30 && message < 50;
  if (!drop_guess_ || !of_the_method) return false;
  drop_guess_ = false;
  return true;
}

Result<void> KeyExchange::take_reply(Bytes payload) {
  PLUMB_CHECK(step_ == Step::kAwaitReply);
  const ExchangeContext context{client_identification_, server_identification_, client_kexinit_, server_kexinit_};
  Result<ExchangeResult> result = exchange_->finish(context, payload, config_.hooks.encode_k);
  exchange_.reset();
  if (!result) return tl::unexpected(result.error());
  if (session_id_.empty()) session_id_ = result->exchange_hash;
  make_ciphers(*result);
  if (!host_key_) {
    host_key_ = std::move(result->host_key);
    step_ = Step::kAwaitVerdict;
    return {};
  }
  if (!(result->host_key == *host_key_))
    return fail(ErrorCode::kHostKey, "the server showed another host key than at the start of the connection");
  step_ = Step::kReadyToSwitch;
  return {};
}

void KeyExchange::accept_host_key() {
  PLUMB_CHECK(step_ == Step::kAwaitVerdict);
  step_ = Step::kReadyToSwitch;
}

void KeyExchange::make_ciphers(const ExchangeResult& result) {
  const ProtocolHooks& hooks = config_.hooks;
  const auto derive = hooks.derive_key != nullptr ? hooks.derive_key : derive_key;
  const auto keys = [&](Letters letters, const CipherSpec& cipher, const MacSpec* mac) {
    const auto key = [&](char letter, size_t size) {
      if (size == 0) return SecretBytes();
      return derive(result.hash, result.k.bytes(), result.exchange_hash, letter, session_id_, size);
    };
    return DirectionKeys{key(letters.iv, cipher.iv_size), key(letters.key, cipher.key_size),
                         key(letters.mac_key, mac == nullptr ? 0 : mac->size)};
  };
  const auto seal = hooks.make_sealer != nullptr ? hooks.make_sealer : make_sealer;
  const auto open = hooks.make_opener != nullptr ? hooks.make_opener : make_opener;
  sealer_ = seal(*cipher_c2s_, mac_c2s_, keys(kClientToServer, *cipher_c2s_, mac_c2s_), *config_.kernels);
  opener_ = open(*cipher_s2c_, mac_s2c_, keys(kServerToClient, *cipher_s2c_, mac_s2c_), *config_.kernels);
}

void KeyExchange::end() {
  PLUMB_CHECK(step_ == Step::kAwaitNewKeys);
  completed_++;
  step_ = Step::kIdle;
}

}  // namespace plumb
