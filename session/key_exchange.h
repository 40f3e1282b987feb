// Our part in one key exchange after another: what is offered, what was agreed, the session id, the host key, and the
// ciphers of the next epoch (RFC 4253 §7-9). It makes and takes payloads; the transport sends them, switches the keys
// and counts the packets.
//
//   begin [guess] ──▶ take_kexinit ──▶ take_method_message … ──▶ [accept_host_key] ──▶ NEWKEYS sent
//                                                                         ──▶ end (NEWKEYS received)
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/result.h"
#include "kex/exchange.h"
#include "kex/negotiate.h"
#include "packet/cipher_suite.h"
#include "session/config.h"
#include "session/state_table.h"

namespace plumb {

class KeyExchange {
 public:
  /// `config` must outlive the object.
  explicit KeyExchange(const ConnectionConfig& config) : config_(config) {}

  /// Both identifications enter every exchange hash, without CR LF; the peer's comes before its first KEXINIT.
  void set_our_identification(std::string identification) {
    ours(client_identification_, server_identification_) = std::move(identification);
  }
  void set_peer_identification(std::string identification) {
    theirs(client_identification_, server_identification_) = std::move(identification);
  }

  enum class Step : uint8_t {
    kIdle,
    kInitSent,       ///< our KEXINIT is out
    kMethod,         ///< both are, and the method's own messages are on their way
    kAwaitVerdict,   ///< the host key waits for the driver's word
    kReadyToSwitch,  ///< NEWKEYS may be sent
    kAwaitNewKeys,   ///< our NEWKEYS is out
  };
  Step step() const { return step_; }
  bool running() const { return step_ != Step::kIdle; }

  /// Between our KEXINIT and our NEWKEYS only messages 1 to 4 and the exchange's own may be sent (RFC 4253 §7.1).
  bool holds_sending() const { return running() && step_ != Step::kAwaitNewKeys; }

  /// What the peer's next message may be.
  PeerStep peer_step() const;

  /// Our KEXINIT payload; lives until the next `begin`.
  Bytes begin();

  /// What a client sends right behind its first KEXINIT if it guesses the method; otherwise empty.
  Bytes guess() const;

  /// The peer's KEXINIT, after ours was sent. Returns the method's first payload to send, empty if it is the peer's
  /// turn. kNoCommon leaves a sentence in `detail()`. `sequence` is the packet's: under strict key exchange the first
  /// KEXINIT must be packet 0.
  Result<Bytes> take_kexinit(Bytes payload, uint32_t sequence);

  /// Whether the payload must be dropped: the peer's first exchange message when it guessed our choice wrongly
  /// (RFC 4253 §7).
  bool drops_guess(uint8_t message);

  /// The message of the method that is due (`peer_step`). Returns the payload to send, empty if there is none. After
  /// the last one the next step is kReadyToSwitch, or kAwaitVerdict in a client's first exchange; in its later ones the
  /// same host key must come again (kHostKey).
  Result<Bytes> take_method_message(Bytes payload);
  void accept_host_key();

  /// The next epoch's ciphers, at kReadyToSwitch; each can be taken once.
  std::unique_ptr<Sealer> take_sealer() { return std::move(sealer_); }
  std::unique_ptr<Opener> take_opener() { return std::move(opener_); }

  void newkeys_sent() { step_ = Step::kAwaitNewKeys; }
  void end();

  bool strict() const { return strict_; }

  /// The one that the server showed in the first exchange; only after that.
  const PublicKey& host_key() const { return *host_key_; }
  Bytes session_id() const { return session_id_; }
  uint64_t completed() const { return completed_; }

  /// What was agreed last; null before the first KEXINIT of the peer.
  const Negotiated* negotiated() const { return negotiated_ ? &*negotiated_ : nullptr; }

  /// Of `negotiated()`, from the table; never null once negotiation succeeded.
  const CipherSpec* cipher_out() const { return is_client() ? c2s_.cipher : s2c_.cipher; }
  const CipherSpec* cipher_in() const { return is_client() ? s2c_.cipher : c2s_.cipher; }

  /// More about the last error than its text says: which list, what each side offered.
  const std::string& detail() const { return detail_; }

 private:
  struct Suite {
    const CipherSpec* cipher = nullptr;
    const MacSpec* mac = nullptr;  // null with an AEAD
  };

  bool is_client() const { return config_.role == Role::kClient; }
  template <class T>
  T& ours(T& client, T& server) {
    return is_client() ? client : server;
  }
  template <class T>
  T& theirs(T& client, T& server) {
    return is_client() ? server : client;
  }

  Proposal make_proposal() const;
  NameList host_key_algorithms() const;
  const PrivateKey* host_key_for(std::string_view algorithm) const;
  Result<void> agree(const Proposal& theirs);
  ExchangeContext context() const;
  Result<Bytes> take_as_client(Bytes payload);
  Result<Bytes> take_as_server(Bytes payload);
  void take_result(const ExchangeResult& result);
  DirectionKeys keys(const ExchangeResult& result, bool c2s) const;

  const ConnectionConfig& config_;
  std::string client_identification_, server_identification_;
  Step step_ = Step::kIdle;
  Proposal ours_;
  std::vector<uint8_t> client_kexinit_, server_kexinit_;
  std::optional<Negotiated> negotiated_;
  Suite c2s_, s2c_;
  std::unique_ptr<ClientExchange> as_client_;
  std::unique_ptr<ServerExchange> as_server_;
  std::vector<uint8_t> to_send_;  // what the last message of a client led to
  bool guessed_ = false;          // `as_client_` was made before the server's KEXINIT came
  bool drop_guess_ = false;
  std::unique_ptr<Sealer> sealer_;
  std::unique_ptr<Opener> opener_;
  std::vector<uint8_t> session_id_;  // H of the first exchange, for ever
  std::optional<PublicKey> host_key_;
  bool strict_ = false;
  uint64_t completed_ = 0;
  std::string detail_;
};

}  // namespace plumb
