// The way from a file into a channel: what is read goes into the packet that will carry it.
//
//   file ──read──▶ begin_data slot … commit_data
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "forward/local_file.h"
#include "session/connection.h"

namespace plumb {

class ChannelSource {
 public:
  enum class Stream : uint8_t { kData, kStderr };

  /// `wake` is called from the event loop when the file became readable: `fill` or `step` is then due. `connection`
  /// must outlive the object.
  ChannelSource(Connection& connection, Stream stream, std::function<void()> wake)
      : connection_(connection), stream_(stream), wake_(std::move(wake)) {}

  /// Null: a source that has ended.
  void set_file(std::unique_ptr<LocalFile> file) { file_ = std::move(file); }

  /// Sends at most one message. Whether there may be more.
  bool step(ChannelId channel);

  /// Sends all that is there and that the channel takes.
  void fill(ChannelId channel) {
    while (step(channel)) {
    }
  }

  /// Nothing comes any more, and all that came is sent. EOF is the owner's to send.
  bool ended() const { return file_ == nullptr && ahead_.empty(); }

  /// The file is left alone; what was read ahead is given up.
  void stop();

  /// Why reading failed, which is no end of the file.
  const std::optional<Error>& failure() const { return failure_; }

  uint64_t bytes() const { return bytes_; }  ///< sent

 private:
  MutBytes begin(ChannelId channel, size_t want);
  void commit(ChannelId channel, size_t n);
  bool send_ahead(ChannelId channel);
  void read_ahead();
  std::optional<size_t> read(MutBytes space);

  Connection& connection_;
  Stream stream_;
  std::function<void()> wake_;
  std::unique_ptr<LocalFile> file_;  // null once it has ended
  bool waiting_ = false;
  std::vector<uint8_t> ahead_;  // read while the channel took nothing, to see the end of the file
  std::optional<Error> failure_;
  uint64_t bytes_ = 0;
};

}  // namespace plumb
