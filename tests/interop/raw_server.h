// A TCP server that is no SSH server: it accepts, says something, and then does something. For peers that are silent,
// rude or gone.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

namespace plumb {

class RawServer {
 public:
  enum class Then : uint8_t {
    kHold,   ///< keeps the connection, reads what comes and says nothing more
    kClose,  ///< ends it
    kReset,  ///< resets it
  };

  /// On a free port of 127.0.0.1. nullptr if there is no socket for it.
  static std::unique_ptr<RawServer> start(std::string says, Then then);
  ~RawServer();
  RawServer(const RawServer&) = delete;
  RawServer& operator=(const RawServer&) = delete;
  uint16_t port() const;

 private:
  RawServer() = default;
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace plumb
