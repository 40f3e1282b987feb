#include "forward/exec_channel.h"

#include <algorithm>
#include <cstring>

#include "core/check.h"

namespace plumb {
namespace {

/// Larger than any packet that a peer takes: `begin_data` gives what fits.
constexpr size_t kWant = 256 * 1024;

/// Enough to tell an end of file from a file that goes on.
constexpr size_t kAhead = 4096;

Result<std::unique_ptr<LocalFile>> adopt(asio::io_context& io, int fd, LocalFile::Use use) {
  if (fd < 0) return std::unique_ptr<LocalFile>();
  return LocalFile::adopt(io, fd, use);
}

}  // namespace

Result<std::unique_ptr<ExecChannel>> ExecChannel::make(asio::io_context& io, const ExecFiles& files,
                                                       Connection& connection, uint32_t window,
                                                       const FlowPolicy& policy, std::function<void()> wake) {
  // The session bears a small overrun of the window; twice its size is beyond what can arrive.
  std::unique_ptr<ExecChannel> made(new ExecChannel(connection, size_t{2} * window, policy, std::move(wake)));
  auto input = adopt(io, files.input, LocalFile::Use::kRead);
  if (!input) return tl::unexpected(input.error());
  auto output = adopt(io, files.output, LocalFile::Use::kWrite);
  if (!output) return tl::unexpected(output.error());
  auto error = adopt(io, files.error, LocalFile::Use::kWrite);
  if (!error) return tl::unexpected(error.error());
  made->input_.file = *std::move(input);
  made->output_.file = *std::move(output);
  made->error_.file = *std::move(error);
  return made;
}

ExecChannel::ExecChannel(Connection& connection, size_t pending_limit, const FlowPolicy& policy,
                         std::function<void()> wake)
    : connection_(connection), policy_(policy), wake_(std::move(wake)), output_(pending_limit), error_(pending_limit) {}

void ExecChannel::start() {
  running_ = true;
  if (input_.file == nullptr) connection_.send_eof(channel_);
}

void ExecChannel::stop() {
  input_.file.reset();
  output_.file.reset();
  error_.file.reset();
}

void ExecChannel::on_turn() {
  flush();
  if (running_) fill();
}

void ExecChannel::flush() {
  flush(output_);
  flush(error_);
}

// ---- From the command

void ExecChannel::on_data(const event::ChannelData& data) {
  const size_t size = data.data.size();
  bytes_in_ += size;
  Sink& sink = data.is_stderr ? error_ : output_;
  if (sink.file == nullptr) return connection_.consumed(channel_, size);
  // Both may be one terminal: what came first is written first.
  flush(data.is_stderr ? output_ : error_);
  const bool direct = sink.pending.empty() && size >= policy_.gather_below;
  const size_t written = direct ? write(sink, data.data) : 0;
  if (sink.file != nullptr) keep(sink, data.data.subspan(written));
  connection_.consumed(channel_, sink.file != nullptr ? written : size);
  if (sink.pending.size() >= policy_.gather_below) flush(sink);
}

/// Bytes that the file took. A file that fails is dropped.
size_t ExecChannel::write(Sink& sink, Bytes data) {
  if (sink.waiting) return 0;
  const Result<size_t> written = sink.file->write_some(data);
  if (!written) {
    drop(sink, written.error());
    return 0;
  }
  if (*written < data.size()) {
    sink.waiting = true;
    sink.file->async_ready([this, &sink] {
      sink.waiting = false;
      wake_();
    });
  }
  return *written;
}

void ExecChannel::keep(Sink& sink, Bytes data) {
  if (data.empty()) return;
  const MutBytes space = sink.pending.space(data.size());
  PLUMB_CHECK(!space.empty());
  std::memcpy(space.data(), data.data(), data.size());
  sink.pending.commit(data.size());
}

void ExecChannel::flush(Sink& sink) {
  if (sink.pending.empty() || sink.waiting || sink.file == nullptr) return;
  const size_t written = write(sink, sink.pending.data());
  if (written == 0) return;
  sink.pending.consume(written);
  connection_.consumed(channel_, written);
}

void ExecChannel::drop(Sink& sink, const Error& error) {
  // A command whose messages nobody reads goes on, as under ssh; one whose output nobody reads has no purpose.
  if (&sink == &output_) failure_ = error;
  sink.file.reset();
  if (sink.pending.empty()) return;
  connection_.consumed(channel_, sink.pending.size());
  sink.pending.consume(sink.pending.size());
}

// ---- To the command

void ExecChannel::fill() {
  while (input_.file != nullptr && send_ahead()) {
    const MutBytes slot = connection_.begin_data(channel_, kWant);
    // With output still to be sent the next turn finds space. Without, the window is closed, maybe for as long as the
    // command has not seen the end of its input, which needs no window (C52).
    if (slot.empty()) return connection_.output().empty() ? read_ahead() : void();
    const std::optional<size_t> n = read(slot);
    if (!n) return;
    connection_.commit_data(channel_, *n);
    bytes_out_ += *n;
  }
}

/// False if what was read ahead still waits for space.
bool ExecChannel::send_ahead() {
  while (!input_.ahead.empty()) {
    const MutBytes slot = connection_.begin_data(channel_, input_.ahead.size());
    if (slot.empty()) return false;
    std::memcpy(slot.data(), input_.ahead.data(), slot.size());
    connection_.commit_data(channel_, slot.size());
    bytes_out_ += slot.size();
    input_.ahead.erase(input_.ahead.begin(), input_.ahead.begin() + static_cast<ptrdiff_t>(slot.size()));
  }
  return true;
}

void ExecChannel::read_ahead() {
  std::vector<uint8_t> space(kAhead);
  const std::optional<size_t> n = read(space);
  if (!n) return;
  space.resize(*n);
  input_.ahead = std::move(space);
}

/// Bytes read, at least 1. nullopt if there are none now, or none any more.
std::optional<size_t> ExecChannel::read(MutBytes space) {
  if (input_.waiting) return std::nullopt;
  const Result<std::optional<size_t>> n = input_.file->read_some(space);
  if (!n) {
    failure_ = n.error();
    input_.file.reset();
    return std::nullopt;
  }
  if (!*n) {
    input_.waiting = true;
    input_.file->async_ready([this] {
      input_.waiting = false;
      wake_();
    });
    return std::nullopt;
  }
  if (**n > 0) return **n;
  input_.file.reset();
  connection_.send_eof(channel_);
  return std::nullopt;
}

}  // namespace plumb
