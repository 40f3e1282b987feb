// One end of a connection and its driver in a test: keeps every event as text, answers what can be answered by itself,
// and takes bytes in any chunking.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "ciphers/drbg.h"
#include "session/connection.h"
#include "tests/session/event_text.h"

namespace plumb::testing {

/// 32 bytes that `seed` stands for.
std::array<uint8_t, 32> seed_bytes(uint64_t seed);

class TestEnd {
 public:
  /// `config.random` and the start time are set here.
  TestEnd(ConnectionConfig config, uint64_t seed);
  virtual ~TestEnd() = default;

  Connection& connection() { return *connection_; }

  /// Called for each event before it is answered; true means that the test has dealt with it.
  std::function<bool(const Event&)> intercept;

  /// Reads `bytes` in pieces of at most `chunk`, polling to Idle after each. Bytes that the connection does not take
  /// are dropped.
  void feed(Bytes bytes, size_t chunk = SIZE_MAX);

  /// Polls until Idle or Closed.
  void poll();

  /// All output, consumed.
  std::vector<uint8_t> take_output();

  void advance(Duration by) { now_ += by; }
  Time now() const { return now_; }

  const std::vector<std::string>& events() const { return events_; }
  size_t count(std::string_view prefix) const;  ///< events that start so
  bool saw(std::string_view prefix) const { return count(prefix) != 0; }
  const std::vector<uint8_t>& received(ChannelId channel = 0) const;  ///< channel data, both kinds
  const event::Closed* closed() const { return closed_ ? &*closed_ : nullptr; }
  std::string closed_text() const { return closed_ ? closed_->error.text : ""; }

 protected:
  /// Answers what no test has dealt with.
  virtual void answer(const Event& event) = 0;

 private:
  ChaChaDrbg random_;
  Time now_{std::chrono::hours(1)};
  std::unique_ptr<Connection> connection_;
  std::vector<std::string> events_;
  std::vector<std::vector<uint8_t>> received_;
  std::optional<event::Closed> closed_;
};

}  // namespace plumb::testing
