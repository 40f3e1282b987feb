// One request and its reply, as a task.
#pragma once

#include <functional>

#include "sftp/client.h"
#include "sftp/task.h"

namespace plumb::sftp {

class Ask final : public Task {
 public:
  using Request = std::function<Result<RequestId>(Client&)>;
  using Told = std::function<void(const Reply&)>;

  /// `told` is called with the reply, once, while its views live. `client` must outlive it and be ready.
  Ask(Client& client, Request request, Told told)
      : client_(client), request_(std::move(request)), told_(std::move(told)) {}

  void run(Time) override {
    if (id_ || finished_) return;
    const Result<RequestId> asked = request_(client_);
    if (asked) id_ = *asked;
    if (!asked && asked.error().code != ErrorCode::kLimit) abandon(asked.error());
  }
  bool on_reply(const Reply& reply, Time) override {
    if (id_ != reply.id) return false;
    finished_ = true;
    told_(reply);
    return true;
  }
  void abandon(const Error& error) override {
    if (!finished_) error_ = error;
    finished_ = true;
  }
  bool finished() const override { return finished_; }

  /// Why no reply came.
  const std::optional<Error>& error() const { return error_; }

 private:
  Client& client_;
  Request request_;
  Told told_;
  std::optional<RequestId> id_;
  std::optional<Error> error_;
  bool finished_ = false;
};

}  // namespace plumb::sftp
