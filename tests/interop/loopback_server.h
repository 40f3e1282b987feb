// Our own server on 127.0.0.1 for foreign clients: one thread, one connection after the other, blocking. The commands
// that it knows run in memory:
//
//   cat              sends back what comes
//   zeros N          N zero bytes
//   fail N TEXT      TEXT on standard error, exit status N
//   die NAME         ends by a signal
//   show NAME        the value of an environment variable that was sent
//   terminal         the terminal that was asked for: "xterm 80x24"
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "session/connection.h"

namespace plumb::testing {

class LoopbackServer {
 public:
  struct Options {
    ConnectionConfig config;  ///< role and host keys are set here, channels as well
    std::string password = "secret";
    bool keyboard = false;     ///< the password is asked for by keyboard-interactive alone, in two questions
    bool partial = false;      ///< a key and then the password
    bool rekey_often = false;  ///< the server renews the keys with every 64 KiB
  };

  /// Starts listening; with one host key of ed25519.
  explicit LoopbackServer(Options options);
  LoopbackServer() : LoopbackServer(Options{}) {}
  ~LoopbackServer();
  LoopbackServer(const LoopbackServer&) = delete;
  LoopbackServer& operator=(const LoopbackServer&) = delete;

  uint16_t port() const { return port_; }
  const PrivateKey& host_key() const { return *host_key_; }

  /// What was agreed and done on the connections that are over, oldest first.
  struct Visit {
    std::string client;  ///< its identification
    std::string agreed;  ///< "curve25519-sha256 ssh-ed25519 aes128-ctr hmac-sha2-256 aes128-ctr hmac-sha2-256"
    uint64_t key_exchanges = 0;
    std::vector<std::string> attempts;  ///< "publickey ssh-ed25519", "password"
    std::string end;                    ///< the text of Closed
  };
  std::vector<Visit> visits() const;

 private:
  void serve();
  Options options_;
  std::unique_ptr<PrivateKey> host_key_;
  int listener_ = -1;
  uint16_t port_ = 0;
  std::atomic<bool> stopping_ = false;
  mutable std::mutex mutex_;
  std::vector<Visit> visits_;
  std::thread thread_;
};

}  // namespace plumb::testing
