// The way from a channel into a file. What the file refuses waits, and window credit goes back only for bytes that were
// written, so that what waits never exceeds our window.
//
//   ChannelData ──write──▶ file          the rest ──▶ pending ──write──▶ file
#pragma once

#include <functional>
#include <memory>
#include <optional>

#include "core/buffer.h"
#include "forward/flow_policy.h"
#include "forward/local_file.h"
#include "session/connection.h"

namespace plumb {

class ChannelSink {
 public:
  /// `wake` is called from the event loop when the file became writable: `flush` is then due. `window` is the channel's
  /// receive window. `connection` must outlive the object.
  ChannelSink(Connection& connection, uint32_t window, const FlowPolicy& policy, std::function<void()> wake);

  /// Null: what comes is dropped.
  void set_file(std::unique_ptr<LocalFile> file) { file_ = std::move(file); }

  /// Bytes of the channel, in order.
  void take(ChannelId channel, Bytes data);

  /// Writes what waits.
  void flush(ChannelId channel);

  /// Whether all that came is written, or can never be.
  bool drained() const { return pending_.empty(); }

  /// The file is closed; what waits is given up.
  void stop() { file_.reset(); }

  /// Whether there is a file that takes bytes.
  bool open() const { return file_ != nullptr; }

  /// Why writing failed; EPIPE if the reader has gone (C67). What comes afterwards is dropped.
  const std::optional<Error>& failure() const { return failure_; }

 private:
  size_t write(ChannelId channel, Bytes data);
  void keep(Bytes data);
  void drop(ChannelId channel, const Error& error);

  Connection& connection_;
  FlowPolicy policy_;
  std::function<void()> wake_;
  std::unique_ptr<LocalFile> file_;
  Buffer pending_;
  bool waiting_ = false;
  std::optional<Error> failure_;
};

}  // namespace plumb
