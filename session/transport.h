// The transport protocol without I/O, for both roles (RFC 4253): identification, packets both ways, key exchanges. What
// it passes up are the messages of the layers above, each legal in its phase. Keys change in two lines of transport.cc.
//
// Sending: everything is sealed in place in the output buffer. While a key exchange holds sending back, control
// messages wait in a bounded queue and data gets no space.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "channels/packet_out.h"
#include "ciphers/drbg.h"
#include "core/buffer.h"
#include "core/clock.h"
#include "core/result.h"
#include "core/secret.h"
#include "packet/identification.h"
#include "packet/packet_reader.h"
#include "packet/packet_writer.h"
#include "session/config.h"
#include "session/deferred_queue.h"
#include "session/key_exchange.h"
#include "session/rekey_policy.h"
#include "session/state_table.h"

namespace plumb {

/// What `Transport::next` found.
struct Incoming {
  enum class Kind : uint8_t {
    kNone,         ///< more bytes are needed
    kOwn,          ///< a packet that concerned the transport alone: ask again
    kMessage,      ///< for the layers above, in `payload`
    kHostKey,      ///< the host key waits for a verdict
    kKeysChanged,  ///< a key exchange is complete
    kDisconnect,   ///< the peer's DISCONNECT, in `payload`
  };
  Kind kind = Kind::kNone;
  Bytes payload;  ///< lives until the next call of `next` or `input_space`
};

class Transport final : public PacketOut {
 public:
  /// Puts our identification and KEXINIT into `output()`. `config` must outlive the object.
  Transport(const ConnectionConfig& config, Time now);

  /// Wipes what was read last: it may be a password.
  ~Transport() override;

  // Bytes, as in Connection.
  MutBytes input_space();
  void input_commit(size_t n);
  /// All that waits to be sent: seals what was written since the last call.
  Bytes output() {
    writer_.flush(output_);
    return output_.data();
  }
  void output_consume(size_t n) { output_.consume(n); }

  /// The next message of the peer. After an error every call gives it again.
  Result<Incoming> next(Time now);

  /// The driver's word on the host key: sends NEWKEYS under the old keys and what waited under the new ones.
  void accept_host_key();

  // PacketOut. Payloads of kControl that do not fit any bound of ours make the following `next` fail.
  MutBytes begin(SendClass kind, size_t max_payload) override;
  void commit(size_t payload) override;

  /// A kControl payload whose words no observer may see; wiped as soon as it is sealed.
  void send_secret(SecretBytes payload);

  /// The last message: sent at once, whatever runs. Nothing is sent afterwards.
  void send_disconnect(uint32_t reason, std::string_view text);

  /// Overwrites a message that `next` gave and that held a secret.
  void wipe_message(Bytes payload);

  /// Nothing is sent any more: the peer is gone.
  void fall_silent() { silenced_ = true; }

  /// Whether data gets space again. Half the mark at which it is refused, so that it pays to ask.
  bool takes_data() const;

  /// The layers above moved on.
  void set_phase(Phase phase) { phase_ = phase; }

  /// Starts a key exchange unless one runs.
  void start_rekey();

  /// When a rekey by time is due; only in the running phase.
  std::optional<Time> rekey_due() const;

  /// Since when a key exchange runs.
  std::optional<Time> exchange_since() const;

  const KeyExchange& exchange() const { return exchange_; }
  Role role() const { return config_.role; }

  /// More about the error of `next` than its text says: numbers of a bad packet, what each side offered. May be empty.
  std::string detail() const;

  const std::string& peer_identification() const { return peer_identification_; }

  /// Lines that a server sent before its identification, often the reason of a refusal.
  const std::vector<std::string>& lines_before() const { return identification_.lines_before(); }

 private:
  Result<Incoming> read();
  Result<bool> read_identification();
  Result<Incoming> on_packet(const Opened& packet);
  Result<Incoming> on_kexinit(const Opened& packet);
  Result<Incoming> on_method_message(Bytes payload);
  Result<Incoming> on_newkeys(Bytes payload);
  void start_exchange();
  void switch_sending_keys();
  void rekey_if_due();
  void put(Bytes payload, bool secret);
  void defer(DeferredQueue::Item item);
  size_t to_send() const { return output_.size() + writer_.waiting(); }
  void set_failed(const Error& error);
  const DirectionAlgorithms& direction(bool sending) const;

  const ConnectionConfig& config_;
  ChaChaDrbg padding_;
  Buffer input_, output_;
  size_t input_want_;
  IdentificationReader identification_;
  std::string peer_identification_;
  PacketReader reader_;
  PacketWriter writer_;
  KeyExchange exchange_;
  RekeyPolicy rekey_policy_;
  DeferredQueue deferred_;
  enum class Target : uint8_t { kPacket, kQueue, kNowhere };
  Target begun_for_ = Target::kNowhere;
  MutBytes begun_;       // the space of the open `begin`
  SecretBytes scratch_;  // holds it unless it lies in the output
  Phase phase_ = Phase::kFirstExchange;
  Time now_;  // of the last call that told it
  Time exchange_since_;
  uint32_t early_packets_ = 0;  // before the connection runs
  bool silenced_ = false;       // DISCONNECT was sent
  std::optional<Error> failed_;
  std::string detail_;
};

}  // namespace plumb
