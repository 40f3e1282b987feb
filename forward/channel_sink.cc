#include "forward/channel_sink.h"

#include <cstring>

#include "core/check.h"

namespace plumb {

// The session bears a small overrun of the window; twice its size is beyond what can arrive.
ChannelSink::ChannelSink(Connection& connection, uint32_t window, const FlowPolicy& policy, std::function<void()> wake)
    : connection_(connection), policy_(policy), wake_(std::move(wake)), pending_(size_t{2} * window) {}

void ChannelSink::take(ChannelId channel, Bytes data) {
  const size_t size = data.size();
  if (file_ == nullptr) return connection_.consumed(channel, size);
  const bool direct = pending_.empty() && size >= policy_.gather_below;
  const size_t written = direct ? write(channel, data) : 0;
  if (file_ != nullptr) keep(data.subspan(written));
  connection_.consumed(channel, file_ != nullptr ? written : size);
  if (pending_.size() >= policy_.gather_below) flush(channel);
}

/// Bytes that the file took. A file that fails is dropped.
size_t ChannelSink::write(ChannelId channel, Bytes data) {
  if (waiting_) return 0;
  const Result<size_t> written = file_->write_some(data);
  if (!written) {
    drop(channel, written.error());
    return 0;
  }
  if (*written < data.size()) {
    waiting_ = true;
    file_->async_ready([this] {
      waiting_ = false;
      wake_();
    });
  }
  return *written;
}

void ChannelSink::keep(Bytes data) {
  if (data.empty()) return;
  const MutBytes space = pending_.space(data.size());
  PLUMB_CHECK(!space.empty());
  std::memcpy(space.data(), data.data(), data.size());
  pending_.commit(data.size());
}

void ChannelSink::flush(ChannelId channel) {
  if (pending_.empty() || waiting_ || file_ == nullptr) return;
  const size_t written = write(channel, pending_.data());
  if (written == 0) return;
  pending_.consume(written);
  connection_.consumed(channel, written);
}

void ChannelSink::drop(ChannelId channel, const Error& error) {
  failure_ = error;
  file_.reset();
  if (pending_.empty()) return;
  connection_.consumed(channel, pending_.size());
  pending_.consume(pending_.size());
}

}  // namespace plumb
