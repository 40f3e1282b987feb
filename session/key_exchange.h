// The client's part in one key exchange after another: what is offered, what was agreed, the session id, the host key,
// and the ciphers of the next epoch (RFC 4253 §7-9). It makes and takes payloads; the transport sends them, switches
// the keys and counts the packets.
//
//   begin ──▶ take_kexinit ──▶ take_reply ──▶ [accept_host_key] ──▶ NEWKEYS sent ──▶ end (NEWKEYS received)
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

  /// Both identifications enter every exchange hash, without CR LF; the server's comes before its first KEXINIT.
  void set_client_identification(std::string identification) { client_identification_ = std::move(identification); }
  void set_server_identification(std::string identification) { server_identification_ = std::move(identification); }

  enum class Step : uint8_t {
    kIdle,
    kInitSent,       ///< our KEXINIT is out
    kAwaitReply,     ///< both are; KEX_ECDH_INIT is out
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

  /// The peer's KEXINIT, after ours was sent. Returns the KEX_ECDH_INIT payload to send. kNoCommon leaves a sentence in
  /// `detail()`. `sequence` is the packet's: under strict key exchange the first KEXINIT must be packet 0.
  Result<Bytes> take_kexinit(Bytes payload, uint32_t sequence);

  /// Whether the payload must be dropped: the peer's first exchange message when it guessed our choice wrongly
  /// (RFC 4253 §7).
  bool drops_guess(uint8_t message);

  /// KEX_ECDH_REPLY. Next is kAwaitVerdict in the first exchange; later on the same key must come again (kHostKey).
  Result<void> take_reply(Bytes payload);
  void accept_host_key();

  /// The next epoch's ciphers, at kReadyToSwitch; each can be taken once.
  std::unique_ptr<Sealer> take_sealer() { return std::move(sealer_); }
  std::unique_ptr<Opener> take_opener() { return std::move(opener_); }

  void newkeys_sent() { step_ = Step::kAwaitNewKeys; }
  void end();

  bool strict() const { return strict_; }
  const PublicKey& host_key() const { return *host_key_; }
  Bytes session_id() const { return session_id_; }
  uint64_t completed() const { return completed_; }

  /// What was agreed last; null before the first KEXINIT of the peer.
  const Negotiated* negotiated() const { return negotiated_ ? &*negotiated_ : nullptr; }

  /// Of `negotiated()`, from the table; never null once negotiation succeeded.
  const CipherSpec* cipher_c2s() const { return cipher_c2s_; }
  const CipherSpec* cipher_s2c() const { return cipher_s2c_; }

  /// More about the last error than its text says: which list, what each side offered.
  const std::string& detail() const { return detail_; }

 private:
  Proposal make_proposal() const;
  Result<void> agree(const Proposal& theirs);
  void make_ciphers(const ExchangeResult& result);

  const ConnectionConfig& config_;
  std::string client_identification_, server_identification_;
  Step step_ = Step::kIdle;
  Proposal ours_;
  std::vector<uint8_t> client_kexinit_, server_kexinit_;
  std::optional<Negotiated> negotiated_;
  const CipherSpec* cipher_c2s_ = nullptr;
  const CipherSpec* cipher_s2c_ = nullptr;
  const MacSpec* mac_c2s_ = nullptr;
  const MacSpec* mac_s2c_ = nullptr;
  std::unique_ptr<ClientExchange> exchange_;
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
