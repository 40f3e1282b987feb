#include "forward/channel_source.h"

#include <cstring>

namespace plumb {
namespace {

/// Larger than any packet that a peer takes: `begin_data` gives what fits.
constexpr size_t kWant = 256 * 1024;

/// Enough to tell an end of file from a file that goes on.
constexpr size_t kAhead = 4096;

}  // namespace

MutBytes ChannelSource::begin(ChannelId channel, size_t want) {
  return stream_ == Stream::kData ? connection_.begin_data(channel, want) : connection_.begin_stderr(channel, want);
}

void ChannelSource::commit(ChannelId channel, size_t n) {
  connection_.commit_data(channel, n);
  bytes_ += n;
}

bool ChannelSource::step(ChannelId channel) {
  if (!ahead_.empty()) return send_ahead(channel);
  if (file_ == nullptr || waiting_) return false;
  const MutBytes slot = begin(channel, kWant);
  if (slot.empty()) {
    // With output still to be sent the next turn finds space. Without, the window is closed, maybe for as long as the
    // other side has not seen the end of the file, which needs no window (C52).
    if (connection_.output().empty()) read_ahead();
    return false;
  }
  const std::optional<size_t> n = read(slot);
  if (!n) return false;
  commit(channel, *n);
  return true;
}

bool ChannelSource::send_ahead(ChannelId channel) {
  const MutBytes slot = begin(channel, ahead_.size());
  if (slot.empty()) return false;
  std::memcpy(slot.data(), ahead_.data(), slot.size());
  commit(channel, slot.size());
  ahead_.erase(ahead_.begin(), ahead_.begin() + static_cast<ptrdiff_t>(slot.size()));
  return true;
}

void ChannelSource::read_ahead() {
  std::vector<uint8_t> space(kAhead);
  const std::optional<size_t> n = read(space);
  if (!n) return;
  space.resize(*n);
  ahead_ = std::move(space);
}

/// Bytes read, at least 1. nullopt if there are none now, or none any more.
std::optional<size_t> ChannelSource::read(MutBytes space) {
  const Result<std::optional<size_t>> n = file_->read_some(space);
  if (!n) {
    failure_ = n.error();
    file_.reset();
    return std::nullopt;
  }
  if (!*n) {
    waiting_ = true;
    file_->async_ready([this] {
      waiting_ = false;
      wake_();
    });
    return std::nullopt;
  }
  if (**n > 0) return **n;
  file_.reset();
  return std::nullopt;
}

void ChannelSource::stop() {
  file_.reset();
  ahead_.clear();
}

}  // namespace plumb
