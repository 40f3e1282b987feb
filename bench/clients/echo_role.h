// Two channels on one connection: one echoes small messages, the other is full. How long the small ones take.
#pragma once

#include <string>
#include <vector>

#include "forward/client_connection.h"

namespace plumb {

class EchoRole final : public ClientRole {
 public:
  /// `count` round trips of 64 bytes to `command`, one after the other, once the output of `beside` flows.
  EchoRole(const LoginRequest& request, std::string command, std::string beside, size_t count)
      : link_(request, outcome_, *this), command_(std::move(command)), beside_(std::move(beside)), count_(count) {}

  /// Seconds of each. Too few if it failed: `failure` says why.
  std::vector<double> run();

  const std::string& failure() const { return outcome_.error_detail; }

 private:
  void on_authenticated() override;
  void on_channel_event(const Event& event) override;
  void on_turn() override;
  bool complete() const override { return times_.size() == count_; }
  void on_over() override {}

  void on_echo(size_t bytes);

  ConnectionOutcome outcome_;
  ClientConnection link_;
  std::string command_, beside_;
  size_t count_;
  std::optional<ChannelId> echo_, bulk_;
  uint64_t bulk_bytes_ = 0;
  size_t awaited_ = 0;  // bytes of the message under way
  Time sent_{};
  size_t skipped_ = 0;
  std::vector<double> times_;
};

}  // namespace plumb
