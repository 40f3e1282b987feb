// An SSH server in memory whose every step a test may take itself. It is built from packet/ and kex/, so it shares
// their mistakes: what it proves is order, limits and state, never that a cipher is right (tests/interop has real
// servers).
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "channels/messages.h"
#include "ciphers/drbg.h"
#include "core/buffer.h"
#include "core/message.h"
#include "kex/exchange.h"
#include "kex/negotiate.h"
#include "keys/private_key.h"
#include "packet/cipher_suite.h"
#include "packet/packet_reader.h"
#include "packet/packet_writer.h"

namespace plumb::testing {

/// One packet of the client.
struct Received {
  uint32_t sequence;
  std::vector<uint8_t> payload;
  uint8_t number() const { return payload[0]; }
};

class ScriptedServer {
 public:
  struct Options {
    std::string preamble;  ///< sent before the identification line
    std::string identification = "SSH-2.0-Scripted";
    std::string line_end = "\r\n";
    bool strict = true;                                                     ///< offer the marker in the first KEXINIT
    bool marker_in_rekeys = false;                                          ///< and, wrongly, in later ones
    NameList kex, host_keys, ciphers_c2s, ciphers_s2c, macs_c2s, macs_s2c;  ///< empty: all of the tables
    std::function<void(Proposal&)> edit_proposal;                           ///< the last word on each KEXINIT
    std::optional<NameList> server_sig_algs;                                ///< EXT_INFO right after the first NEWKEYS
    NameList auth_methods{"publickey", "password"};
    std::string password = "secret";  ///< the only one that is accepted
    bool accept_keys = true;
    uint32_t window = 2 * 1024 * 1024;  ///< granted to channels
    uint32_t max_packet = 32 * 1024;
    uint64_t seed = 1;
  };

  explicit ScriptedServer(Options options);
  ScriptedServer() : ScriptedServer(Options{}) {}

  // The wire.
  void feed(Bytes from_client);
  std::vector<uint8_t> take_output();

  // Steps, under the keys of the moment.
  void send(Bytes payload);
  template <class M>
  void send(const M& message) {
    send(Bytes(to_payload(message)));
  }
  void send_kexinit();    ///< at any time; later ones start a rekey
  void send_kex_reply();  ///< for the client's last public value
  void send_newkeys();    ///< and the new keys with it

  /// Sees each payload before the server reacts; true means that the test has dealt with it.
  std::function<bool(const Received&)> intercept;

  /// Signs with another key from the next exchange on.
  void change_host_key(uint64_t seed);

  // What it saw.
  const std::vector<Received>& received() const { return received_; }
  std::vector<uint8_t> numbers() const;  ///< of all of them
  size_t count(uint8_t number) const;
  std::vector<uint8_t> channel_bytes() const;                         ///< all CHANNEL_DATA, joined
  const std::vector<std::string>& faults() const { return faults_; }  ///< breaches of the protocol by the client
  uint64_t exchanges() const { return exchanges_; }
  uint32_t next_sequence_in() const { return reader_.sequence(); }
  uint32_t next_sequence_out() const { return writer_.sequence(); }
  Bytes session_id() const { return session_id_; }
  const PublicKey& host_key() const { return host_key_->public_key(); }
  std::string user() const { return user_; }
  const std::vector<std::string>& auth_algorithms() const { return auth_algorithms_; }  ///< of signed attempts
  std::string exec_command() const { return exec_command_; }
  const std::optional<Negotiated>& negotiated() const { return negotiated_; }

 private:
  void take(Received packet);
  void react(const Received& packet);
  void on_kexinit(Bytes payload);
  void send_group(Bytes request);
  void on_userauth(Bytes payload);
  void on_publickey(Bytes payload);
  void fault(std::string what) { faults_.push_back(std::move(what)); }
  DirectionKeys keys(bool to_client, const CipherSpec& cipher, const MacSpec* mac) const;

  Options options_;
  ChaChaDrbg random_;
  Buffer input_{8 * 1024 * 1024};
  Buffer output_{64 * 1024 * 1024};
  PacketReader reader_;
  PacketWriter writer_;
  std::unique_ptr<PrivateKey> host_key_;
  std::string client_identification_;
  std::vector<uint8_t> client_kexinit_, server_kexinit_, client_init_;
  bool kexinit_sent_ = false, client_in_exchange_ = false;
  std::optional<Negotiated> negotiated_;
  std::optional<ServerExchange> exchange_;
  std::optional<ExchangeResult> result_;
  std::vector<uint8_t> session_id_;
  bool strict_ = false;
  uint64_t exchanges_ = 0;
  std::vector<Received> received_;
  std::vector<std::string> faults_;
  std::string user_, exec_command_;
  std::vector<std::string> auth_algorithms_;
};

/// The default options after `edit`.
template <class Edit>
ScriptedServer::Options with(Edit edit) {
  ScriptedServer::Options options;
  edit(options);
  return options;
}

}  // namespace plumb::testing
