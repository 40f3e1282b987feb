// A TCP relay on 127.0.0.1 that treats the stream badly on purpose: tears it into chunks, gathers, stalls, damages or
// cuts it, at byte offsets that the test names. It knows nothing of SSH.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <vector>

namespace plumb {

/// Something that happens to one direction of every connection when `at` bytes of it have been forwarded.
struct RelayEvent {
  enum class Kind : uint8_t {
    kFlip,       ///< the next byte is changed by `mask`
    kStall,      ///< nothing is forwarded for `pause`; the bytes before go out first
    kCut,        ///< both sides see the connection end
    kReset,      ///< both sides see it reset
    kBlackHole,  ///< nothing is forwarded any more, and nobody is told
  };
  uint64_t at = 0;
  Kind kind = Kind::kFlip;
  uint8_t mask = 0x01;
  std::chrono::milliseconds pause{0};
};

struct RelayPath {
  size_t chunk = 0;                  ///< most bytes per send, each sent at once; 0: as they came
  size_t gather_first = 0;           ///< the first send waits until so many bytes came
  std::vector<RelayEvent> events{};  ///< by rising `at`
};

class Relay {
 public:
  /// Listens on a free port of 127.0.0.1 and forwards to `target_port` there. nullptr if there is no socket for it.
  static std::unique_ptr<Relay> start(uint16_t target_port, RelayPath to_target, RelayPath to_client);

  /// Ends all connections and waits for its threads.
  ~Relay();
  Relay(const Relay&) = delete;
  Relay& operator=(const Relay&) = delete;

  uint16_t port() const;

  /// Bytes that came in all connections so far, before anything was done to them.
  uint64_t bytes_to_target() const;
  uint64_t bytes_to_client() const;

 private:
  Relay() = default;
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace plumb
