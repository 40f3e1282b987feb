// The observer behind --trace: what a connection does, a line each on standard error, without any secret and without
// the contents of messages.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include "core/observer.h"

namespace plumb {

/// "CHANNEL_DATA"; "message 192" for numbers without a name. Group exchange has another message under number 31 (RFC
/// 4419 §5).
std::string message_name(uint8_t id, bool group_exchange = false);

class TraceObserver : public Observer {
 public:
  void packet_sent(uint32_t sequence, Bytes payload) override { packet("->", sequence, payload); }
  void packet_received(uint32_t sequence, Bytes payload) override { packet("<-", sequence, payload); }
  void keys_changed(bool sending, std::string_view cipher, std::string_view mac) override;
  void note(std::string_view text) override;

 private:
  void packet(const char* arrow, uint32_t sequence, Bytes payload);
  double seconds() const;
  bool group_exchange_ = false;  ///< the key exchange that runs is one: its KEX_DH_GEX_REQUEST was seen
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

}  // namespace plumb
