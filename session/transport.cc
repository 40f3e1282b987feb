#include "session/transport.h"

#include <algorithm>
#include <cstring>

#include "core/check.h"
#include "core/message_ids.h"
#include "session/disconnect.h"
#include "session/ext_info.h"
#include "session/messages.h"

namespace plumb {
namespace {

constexpr size_t kSmallestRead = 16 * 1024;
constexpr size_t kLargestRead = 256 * 1024;

// One packet that is not complete and one read behind it; doubled, so that the buffer seldom has to move its bytes.
constexpr size_t kInputLimit = 2 * (kLargestRead + 2 * kMaxPacketLength);

// Above the mark no data is taken, so that the driver's gather writes stay long and memory bounded. What may still come
// on top of it are answers; a peer that asks for megabytes of answers and reads none is given up.
constexpr size_t kOutputMark = 1024 * 1024;
constexpr size_t kOutputLimit = 4 * kOutputMark;

// Window adjustments, EOFs, opens and requests of one key exchange: thousands, far more than a real client has.
constexpr size_t kDeferredLimit = 1024 * 1024;

// A first exchange is a handful of packets, and authentication with every method and many keys some hundred; IGNOREs
// may stand between them. Bounded far below the wrap of the sequence number, which OpenSSH lets end the connection
// during the first exchange (packet.c).
constexpr uint32_t kEarlyPackets = 4096;

// The largest packet without its longest padding.
constexpr size_t kLongestPayload = kMaxPacketLength - 256;

constexpr Error kTooLong{ErrorCode::kUsage, 0, "a message is longer than an SSH packet can be: 262144 bytes"};

Incoming found(Incoming::Kind kind, Bytes payload = {}) { return {kind, payload}; }

// What an observer may see of a message: its number alone if it holds what somebody typed.
Bytes shown(Bytes payload) { return holds_password(payload) ? payload.first(1) : payload; }

}  // namespace

Transport::Transport(const ConnectionConfig& config, Time now)
    : config_(config),
      padding_(*config.random, *config.kernels),
      input_(kInputLimit),
      output_(kOutputLimit),
      input_want_(kSmallestRead),
      identification_(config.role == Role::kClient),
      writer_(padding_),
      exchange_(config),
      rekey_policy_(config.rekey),
      deferred_(kDeferredLimit),
      now_(now),
      exchange_since_(now) {
  const std::string identification = make_identification(config.software);
  const std::string line = identification + "\r\n";
  const MutBytes space = output_.space(line.size());
  std::memcpy(space.data(), line.data(), line.size());
  output_.commit(line.size());
  exchange_.set_our_identification(identification);
  start_exchange();
}

Transport::~Transport() { wipe(input_.data()); }

MutBytes Transport::input_space() {
  if (failed_) return {};
  const MutBytes space = input_.space(input_want_);
  return space.empty() ? input_.space(kSmallestRead) : space;
}

void Transport::input_commit(size_t n) {
  // A read that filled what it asked for says that there is more: ask for more next time.
  if (n >= input_want_) input_want_ = std::min(input_want_ * 2, kLargestRead);
  input_.commit(n);
}

Result<Incoming> Transport::next(Time now) {
  now_ = now;
  if (failed_) return tl::unexpected(*failed_);
  Result<Incoming> incoming = read();
  // A failure to send is told here too: commands have no result of their own.
  if (incoming && failed_) return tl::unexpected(*failed_);
  if (!incoming) set_failed(incoming.error());
  return incoming;
}

Result<Incoming> Transport::read() {
  if (peer_identification_.empty()) {
    const Result<bool> identified = read_identification();
    if (!identified) return tl::unexpected(identified.error());
    if (!*identified) return found(Incoming::Kind::kNone);
  }
  rekey_if_due();
  const Result<std::optional<Opened>> packet = reader_.next(input_);
  if (!packet) return tl::unexpected(packet.error());
  if (!*packet) return found(Incoming::Kind::kNone);
  config_.observer->packet_received((*packet)->sequence, shown((*packet)->payload));
  return on_packet(**packet);
}

Result<bool> Transport::read_identification() {
  Result<std::optional<std::string>> identification = identification_.next(input_);
  if (!identification) return tl::unexpected(identification.error());
  if (!*identification) return false;
  peer_identification_ = **std::move(identification);
  exchange_.set_peer_identification(peer_identification_);
  return true;
}

Result<Incoming> Transport::on_packet(const Opened& packet) {
  const uint8_t message = packet.payload[0];
  if (phase_ != Phase::kRunning && ++early_packets_ > kEarlyPackets)
    return fail(ErrorCode::kProtocol, phase_ == Phase::kFirstExchange
                                          ? the_peer<" sent too many packets in the first key exchange">(role())
                                          : the_peer<" sent too many packets before authentication was done">(role()));
  if (exchange_.drops_guess(message)) return found(Incoming::Kind::kOwn);
  const PeerState state{phase_, exchange_.peer_step(), exchange_.strict()};
  switch (judge(message, state, role())) {
    case Verdict::kEnd:
      detail_ = "message " + std::to_string(message) + " " + describe(state, role());
      return fail(ErrorCode::kProtocol, the_peer<" sent a message that is out of place">(role()));
    case Verdict::kIgnore: return found(Incoming::Kind::kOwn);
    case Verdict::kUnimplemented:
      put(to_payload(Unimplemented{packet.sequence}), false);
      return found(Incoming::Kind::kOwn);
    case Verdict::kHandle: break;
  }
  switch (message) {
    case msg::kDisconnect: return found(Incoming::Kind::kDisconnect, packet.payload);
    case msg::kKexInit: return on_kexinit(packet);
    case msg::kNewKeys: return on_newkeys(packet.payload);
    default: break;
  }
  if (message >= 30 && message < 50) return on_method_message(packet.payload);
  return found(Incoming::Kind::kMessage, packet.payload);
}

void Transport::start_exchange() {
  exchange_since_ = now_;
  put(exchange_.begin(), false);
  if (const Bytes guess = exchange_.guess(); !guess.empty()) put(guess, false);
}

Result<Incoming> Transport::on_kexinit(const Opened& packet) {
  if (!exchange_.running()) start_exchange();
  const Result<Bytes> first = exchange_.take_kexinit(packet.payload, packet.sequence);
  if (!first) return tl::unexpected(first.error());
  if (!first->empty()) put(*first, false);
  return found(Incoming::Kind::kOwn);
}

Result<Incoming> Transport::on_method_message(Bytes payload) {
  const Result<Bytes> next = exchange_.take_method_message(payload);
  if (!next) return tl::unexpected(next.error());
  if (!next->empty()) put(*next, false);
  if (exchange_.step() == KeyExchange::Step::kAwaitVerdict) return found(Incoming::Kind::kHostKey);
  if (exchange_.step() == KeyExchange::Step::kReadyToSwitch) switch_sending_keys();
  return found(Incoming::Kind::kOwn);
}

void Transport::accept_host_key() {
  exchange_.accept_host_key();
  switch_sending_keys();
}

void Transport::switch_sending_keys() {
  put(to_payload(NewKeys{}), false);
  writer_.flush(output_);
  writer_.set_sealer(exchange_.take_sealer());
  if (exchange_.strict()) writer_.reset_sequence();
  exchange_.newkeys_sent();
  const DirectionAlgorithms& names = direction(true);
  config_.observer->keys_changed(true, names.cipher, names.mac);
  // The very first message under the new keys (RFC 8308 §2.4), once.
  if (role() == Role::kServer && exchange_.completed() == 0 && exchange_.negotiated()->peer_ext_info)
    put(server_ext_info(config_.algorithms.signatures), false);
  while (!deferred_.empty()) {
    const DeferredQueue::Item item = deferred_.pop();
    put(item.payload.bytes(), item.secret);
  }
}

Result<Incoming> Transport::on_newkeys(Bytes payload) {
  if (const Result<NewKeys> message = parse_message<NewKeys>(payload); !message) return tl::unexpected(message.error());
  reader_.set_opener(exchange_.take_opener());
  if (exchange_.strict()) reader_.reset_sequence();
  exchange_.end();
  const DirectionAlgorithms& names = direction(false);
  config_.observer->keys_changed(false, names.cipher, names.mac);
  rekey_policy_.arm(exchange_.cipher_out()->block, exchange_.cipher_in()->block, now_);
  if (phase_ == Phase::kFirstExchange) phase_ = Phase::kService;
  return found(Incoming::Kind::kKeysChanged);
}

const DirectionAlgorithms& Transport::direction(bool sending) const {
  const bool c2s = sending == (role() == Role::kClient);
  return c2s ? exchange_.negotiated()->c2s : exchange_.negotiated()->s2c;
}

void Transport::rekey_if_due() {
  // OpenSSH refuses a rekey before authentication (packet.c), and nothing there could reach a limit.
  if (phase_ != Phase::kRunning || exchange_.running()) return;
  const KeyUse out{writer_.epoch_bytes(), writer_.epoch_packets()};
  const KeyUse in{reader_.epoch_bytes(), reader_.epoch_packets()};
  if (rekey_policy_.due(out, in, now_)) start_exchange();
}

void Transport::start_rekey() {
  if (!exchange_.running() && !silenced_ && !failed_) start_exchange();
}

std::string Transport::detail() const {
  if (!detail_.empty()) return detail_;
  return reader_.fault_detail().empty() ? exchange_.detail() : reader_.fault_detail();
}

std::optional<Time> Transport::rekey_due() const {
  if (phase_ != Phase::kRunning || exchange_.running()) return std::nullopt;
  return rekey_policy_.deadline();
}

std::optional<Time> Transport::exchange_since() const {
  if (!exchange_.running()) return std::nullopt;
  return exchange_since_;
}

bool Transport::takes_data() const {
  return !silenced_ && !failed_ && !exchange_.holds_sending() && to_send() <= kOutputMark / 2;
}

MutBytes Transport::begin(SendClass kind, size_t max_payload) {
  const bool dead = silenced_ || failed_;
  const bool held = exchange_.holds_sending();
  if (kind == SendClass::kData && (dead || held || to_send() >= kOutputMark)) return {};
  begun_for_ = dead ? Target::kNowhere : held ? Target::kQueue : Target::kPacket;
  if (max_payload > kLongestPayload) {
    begun_for_ = Target::kNowhere;
    set_failed(kTooLong);
  }
  if (begun_for_ == Target::kPacket) {
    begun_ = writer_.begin(output_, max_payload);
    if (!begun_.empty()) return begun_;
    begun_for_ = Target::kNowhere;
    set_failed({ErrorCode::kLimit, 0, the_peer<" does not read what it makes us send">(role())});
  }
  scratch_ = SecretBytes(max_payload);
  return begun_ = scratch_.bytes();
}

void Transport::commit(size_t payload) {
  PLUMB_CHECK(payload >= 1 && payload <= begun_.size());
  const Bytes bytes = begun_.first(payload);
  begun_ = {};
  switch (begun_for_) {
    case Target::kNowhere: return;
    case Target::kQueue: return defer({SecretBytes(bytes), false});
    case Target::kPacket: break;
  }
  config_.observer->packet_sent(writer_.sequence(), bytes);
  writer_.commit(output_, payload);
  rekey_if_due();
}

void Transport::send_secret(SecretBytes payload) {
  if (silenced_ || failed_) return;
  if (exchange_.holds_sending()) return defer({std::move(payload), true});
  put(payload.bytes(), true);
}

void Transport::defer(DeferredQueue::Item item) {
  if (!deferred_.push(std::move(item)))
    set_failed({ErrorCode::kLimit, 0,
                role() == Role::kClient ? "too many messages wait for the server to finish a key exchange"
                                        : "too many messages wait for the client to finish a key exchange"});
}

void Transport::put(Bytes payload, bool secret) {
  begun_ = {};  // space that was given up
  if (silenced_ || failed_) return;
  if (payload.size() > kLongestPayload) return set_failed(kTooLong);
  const MutBytes space = writer_.begin(output_, payload.size());
  if (space.empty())
    return set_failed({ErrorCode::kLimit, 0, the_peer<" does not read what it makes us send">(role())});
  config_.observer->packet_sent(writer_.sequence(), secret ? payload.first(1) : payload);
  std::memcpy(space.data(), payload.data(), payload.size());
  writer_.commit(output_, payload.size());
  if (secret) writer_.flush(output_);  // it does not wait for others in the clear
}

void Transport::send_disconnect(uint32_t reason, std::string_view text) {
  failed_.reset();  // whatever failed, the peer may hear of it
  put(disconnect_payload(reason, text), false);
  fall_silent();
}

void Transport::wipe_message(Bytes payload) {
  const MutBytes data = input_.data();
  const auto offset = static_cast<size_t>(payload.data() - data.data());
  PLUMB_CHECK(offset <= data.size() && payload.size() <= data.size() - offset);
  wipe(data.subspan(offset, payload.size()));
}

void Transport::set_failed(const Error& error) {
  if (!failed_) failed_ = error;
}

}  // namespace plumb
