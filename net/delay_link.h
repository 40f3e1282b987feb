// A TCP link with the delay and the rate of a long path, for measuring over one on a single machine.
//
//   client ── accepted socket ──▶ bytes under way: each leaves when its time has come ──▶ target
//
// TCP ends at the link on both sides, so what is long is the path of the bytes, not TCP's own round trip: windows and
// turns of the protocol above are what shows.
#pragma once

#include <asio/ip/tcp.hpp>
#include <cstdint>
#include <memory>

#include "core/clock.h"
#include "core/result.h"
#include "net/resolve.h"
#include "net/runtime.h"

namespace plumb {

struct LinkShape {
  Duration delay{0};           ///< of each byte, one way
  uint64_t rate = 0;           ///< bytes per second, each way; 0: as fast as it goes
  size_t queue = 1024 * 1024;  ///< bytes that wait for the link beyond those that travel on it, as in a router
};

class DelayLink {
 public:
  /// Listens on `acceptor` (net/tcp.h) and joins each connection with one to `target`, both ways. Ends with the
  /// object; a connection ends when both sides have ended theirs or one of them fails. `runtime` must outlive it.
  static std::unique_ptr<DelayLink> start(Runtime& runtime, Tcp::acceptor acceptor, Tcp::endpoint target,
                                          const LinkShape& shape);
  virtual ~DelayLink() = default;

  virtual Tcp::endpoint endpoint() const = 0;  ///< where it listens

  /// Cuts all connections that run, as a broken path does. New ones are still taken.
  virtual void cut() = 0;
};

}  // namespace plumb
