#include "tests/session/scripted_server.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "core/check.h"
#include "core/wire.h"
#include "kex/derive.h"
#include "kex/messages.h"
#include "keys/signature.h"
#include "session/messages.h"

namespace plumb::testing {
namespace {

std::array<uint8_t, 32> seed_bytes(uint64_t seed) {
  std::array<uint8_t, 32> bytes{};
  std::memcpy(bytes.data(), &seed, sizeof seed);
  return bytes;
}

template <class Table>
NameList names(const NameList& wish, const Table& table) {
  if (!wish.empty()) return wish;
  NameList all;
  for (const auto& line : table) all.emplace_back(line.name);
  return all;
}

bool is_aead(std::string_view name) {
  const CipherSpec* cipher = find_cipher(name);
  return cipher != nullptr && cipher->aead;
}

}  // namespace

ScriptedServer::ScriptedServer(Options options)
    : options_(std::move(options)),
      random_(seed_bytes(options_.seed), host_kernels()),
      writer_(random_),
      host_key_(ed25519_from_seed(seed_bytes(1000))) {
  if (options_.host_keys.empty()) options_.host_keys = {"ssh-ed25519"};
  const std::string hello = options_.preamble + options_.identification + options_.line_end;
  const MutBytes space = output_.space(hello.size());
  std::copy(hello.begin(), hello.end(), space.begin());
  output_.commit(hello.size());
}

void ScriptedServer::change_host_key(uint64_t seed) { host_key_ = ed25519_from_seed(seed_bytes(seed)); }

void ScriptedServer::feed(Bytes from_client) {
  if (!from_client.empty()) {
    const MutBytes space = input_.space(from_client.size());
    PLUMB_CHECK(!space.empty());
    std::copy(from_client.begin(), from_client.end(), space.begin());
    input_.commit(from_client.size());
  }
  if (client_identification_.empty()) {
    const std::string_view text = as_text(input_.data());
    const size_t end = text.find("\r\n");
    if (end == std::string_view::npos) return;
    client_identification_ = text.substr(0, end);
    input_.consume(end + 2);
  }
  for (;;) {
    const Result<std::optional<Opened>> packet = reader_.next(input_);
    if (!packet) return fault(std::string("unreadable packet: ") + packet.error().text);
    if (!*packet) return;
    const Bytes payload = (*packet)->payload;
    take({(*packet)->sequence, {payload.begin(), payload.end()}});
  }
}

std::vector<uint8_t> ScriptedServer::take_output() {
  const Bytes data = output_.data();
  std::vector<uint8_t> taken(data.begin(), data.end());
  output_.consume(taken.size());
  return taken;
}

void ScriptedServer::send(Bytes payload) {
  const MutBytes space = writer_.begin(output_, payload.size());
  PLUMB_CHECK(!space.empty());
  std::copy(payload.begin(), payload.end(), space.begin());
  writer_.commit(output_, payload.size());
  writer_.flush(output_);
}

void ScriptedServer::take(Received packet) {
  const uint8_t number = packet.number();
  // RFC 4253 §7.1: between KEXINIT and NEWKEYS.
  const bool of_the_exchange = number <= 4 || (number >= 20 && number < 50);
  if (client_in_exchange_ && (!of_the_exchange || number == msg::kKexInit))
    fault("message " + std::to_string(number) + " during a key exchange");
  if (exchanges_ == 0 && session_id_.empty() && received_.empty() && number != msg::kKexInit)
    fault("the first packet was not KEXINIT");
  if (number == msg::kKexInit) client_in_exchange_ = true;
  if (number == msg::kKexEcdhInit || number == msg::kKexDhGexInit) client_init_ = packet.payload;
  received_.push_back(packet);
  if (!intercept || !intercept(packet)) react(packet);
}

void ScriptedServer::react(const Received& packet) {
  const Bytes payload = packet.payload;
  switch (packet.number()) {
    case msg::kKexInit: return on_kexinit(payload);
    case msg::kKexDhGexRequest: return send_group(payload);
    case msg::kKexEcdhInit:
    case msg::kKexDhGexInit: send_kex_reply(); return send_newkeys();
    case msg::kNewKeys: {
      client_in_exchange_ = false;
      const CipherSpec& cipher = *find_cipher(negotiated_->c2s.cipher);
      const MacSpec* mac = find_mac(negotiated_->c2s.mac);
      reader_.set_opener(make_opener(cipher, mac, keys(false, cipher, mac), host_kernels()));
      if (strict_) reader_.reset_sequence();
      exchanges_++;
      return;
    }
    case msg::kServiceRequest: return send(ServiceAccept{"ssh-userauth"});
    case msg::kUserauthRequest: return on_userauth(payload);
    case msg::kChannelOpen: {
      const ChannelOpen open = *parse_message<ChannelOpen>(payload);
      return send(ChannelOpenConfirmation{.recipient = open.sender,
                                          .sender = open.sender + 100,
                                          .window = options_.window,
                                          .max_packet = options_.max_packet,
                                          .rest = {}});
    }
    case msg::kChannelRequest: {
      const ChannelRequest request = *parse_message<ChannelRequest>(payload);
      Reader body(request.rest);
      if (request.request == "exec") exec_command_ = body.text();
      if (request.want_reply) send(ChannelSuccess{request.recipient - 100});
      return;
    }
    default: return;
  }
}

void ScriptedServer::send_kexinit() {
  Proposal proposal;
  random_.fill(proposal.cookie);
  proposal.kex = names(options_.kex, kex_methods());
  proposal.host_keys = options_.host_keys;
  proposal.ciphers_c2s = names(options_.ciphers_c2s, cipher_specs());
  proposal.ciphers_s2c = names(options_.ciphers_s2c, cipher_specs());
  proposal.macs_c2s = names(options_.macs_c2s, mac_specs());
  proposal.macs_s2c = names(options_.macs_s2c, mac_specs());
  if (exchanges_ == 0 ? options_.strict : options_.marker_in_rekeys) proposal.kex.emplace_back(kStrictKexServer);
  if (options_.edit_proposal) options_.edit_proposal(proposal);
  server_kexinit_ = write_proposal(proposal);
  kexinit_sent_ = true;
  send(Bytes(server_kexinit_));
}

void ScriptedServer::on_kexinit(Bytes payload) {
  client_kexinit_.assign(payload.begin(), payload.end());
  if (!kexinit_sent_) send_kexinit();
  NoCommon no_common;
  const Result<Proposal> client = parse_proposal(client_kexinit_);
  const Result<Proposal> server = parse_proposal(server_kexinit_);
  if (!client || !server) return fault("a KEXINIT cannot be read");
  Result<Negotiated> agreed = negotiate(*client, *server, false, is_aead, &no_common);
  if (!agreed) return;
  if (exchanges_ == 0) strict_ = agreed->strict;
  if (exchanges_ != 0 && (contains_name(client->kex, kStrictKexClient) || contains_name(client->kex, kExtInfoClient)))
    fault("a marker in a later KEXINIT");
  negotiated_ = *std::move(agreed);
  exchange_.emplace(*negotiated_->kex, negotiated_->host_key, *host_key_, random_);
}

void ScriptedServer::send_group(Bytes request) {
  if (!exchange_ || !exchange_->awaits_request()) return fault("KEX_DH_GEX_REQUEST out of place");
  const Result<std::vector<uint8_t>> group = exchange_->take_request(request, Moduli());
  if (!group) return fault(std::string("bad KEX_DH_GEX_REQUEST: ") + group.error().text);
  send(Bytes(*group));
}

void ScriptedServer::send_kex_reply() {
  if (!exchange_) return fault("a public value without an agreement");
  const ExchangeContext context{client_identification_, options_.identification, client_kexinit_, server_kexinit_};
  Result<ServerReply> reply = exchange_->respond(context, client_init_);
  if (!reply) return fault(std::string("bad public value: ") + reply.error().text);
  send(Bytes(reply->payload));
  result_.emplace(std::move(reply->result));
  if (session_id_.empty()) session_id_ = result_->exchange_hash;
}

void ScriptedServer::send_newkeys() {
  if (!result_) return fault("NEWKEYS without an exchange");
  send(NewKeys{});
  const CipherSpec& cipher = *find_cipher(negotiated_->s2c.cipher);
  const MacSpec* mac = find_mac(negotiated_->s2c.mac);
  writer_.set_sealer(make_sealer(cipher, mac, keys(true, cipher, mac), host_kernels()));
  if (strict_) writer_.reset_sequence();
  kexinit_sent_ = false;
  if (exchanges_ != 0 || !options_.server_sig_algs) return;
  std::vector<uint8_t> info;
  Writer writer(info);
  writer.u8(msg::kExtInfo);
  writer.u32(1);
  writer.text("server-sig-algs");
  writer.name_list(*options_.server_sig_algs);
  send(Bytes(info));
}

DirectionKeys ScriptedServer::keys(bool to_client, const CipherSpec& cipher, const MacSpec* mac) const {
  const auto key = [&](char letter, size_t size) {
    if (size == 0) return SecretBytes();
    return derive_key(result_->hash, result_->k.bytes(), result_->exchange_hash, letter, session_id_, size);
  };
  return {key(to_client ? 'B' : 'A', cipher.iv_size), key(to_client ? 'D' : 'C', cipher.key_size),
          key(to_client ? 'F' : 'E', mac == nullptr ? 0 : mac->key_size)};
}

void ScriptedServer::on_userauth(Bytes payload) {
  Reader reader(payload.subspan(1));
  user_ = reader.text();
  if (reader.text() != "ssh-connection") fault("authentication for another service");
  const std::string_view method = reader.text();
  if (method == "publickey") return on_publickey(payload);
  reader.boolean();
  const bool right = method == "password" && reader.text() == options_.password && reader.done();
  if (right) return send(UserauthSuccess{});
  send(UserauthFailure{options_.auth_methods, false});
}

void ScriptedServer::on_publickey(Bytes payload) {
  Reader reader(payload.subspan(1));
  for (int field = 0; field < 3; field++) reader.string();
  const bool has_signature = reader.boolean();
  const std::string_view algorithm = reader.text();
  const Bytes blob = reader.string();
  const Result<PublicKey> key = PublicKey::parse(blob);
  if (!reader.ok() || !key) return fault("a publickey request cannot be read");
  if (!options_.accept_keys) return send(UserauthFailure{options_.auth_methods, false});
  if (!has_signature) return send(UserauthPkOk{algorithm, blob});
  const size_t signed_size = payload.size() - reader.remaining();
  const Bytes signature = reader.string();
  std::vector<uint8_t> message;
  Writer(message).string(session_id_);
  Writer(message).raw(payload.first(signed_size));
  if (!reader.done() || !key->verify(algorithm, message, signature)) return fault("a publickey signature is wrong");
  auth_algorithms_.emplace_back(algorithm);
  send(UserauthSuccess{});
}

std::vector<uint8_t> ScriptedServer::numbers() const {
  std::vector<uint8_t> all;
  for (const Received& packet : received_) all.push_back(packet.number());
  return all;
}

size_t ScriptedServer::count(uint8_t number) const {
  return static_cast<size_t>(std::count_if(received_.begin(), received_.end(),
                                           [&](const Received& packet) { return packet.number() == number; }));
}

std::vector<uint8_t> ScriptedServer::channel_bytes() const {
  std::vector<uint8_t> all;
  for (const Received& packet : received_) {
    if (packet.number() != msg::kChannelData) continue;
    const Bytes data = parse_message<ChannelDataMessage>(packet.payload)->data;
    all.insert(all.end(), data.begin(), data.end());
  }
  return all;
}

}  // namespace plumb::testing
