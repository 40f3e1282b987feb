#include "forward/exec_channel.h"

namespace plumb {
namespace {

Result<std::unique_ptr<LocalFile>> adopt(asio::io_context& io, int fd, LocalFile::Use use) {
  if (fd < 0) return std::unique_ptr<LocalFile>();
  return LocalFile::adopt(io, fd, use);
}

}  // namespace

Result<std::unique_ptr<ExecChannel>> ExecChannel::make(asio::io_context& io, const ExecFiles& files,
                                                       Connection& connection, uint32_t window,
                                                       const FlowPolicy& policy, const std::function<void()>& wake) {
  std::unique_ptr<ExecChannel> made(new ExecChannel(connection, window, policy, wake));
  auto input = adopt(io, files.input, LocalFile::Use::kRead);
  if (!input) return tl::unexpected(input.error());
  auto output = adopt(io, files.output, LocalFile::Use::kWrite);
  if (!output) return tl::unexpected(output.error());
  auto error = adopt(io, files.error, LocalFile::Use::kWrite);
  if (!error) return tl::unexpected(error.error());
  made->input_.set_file(*std::move(input));
  made->output_.set_file(*std::move(output));
  made->error_.set_file(*std::move(error));
  return made;
}

ExecChannel::ExecChannel(Connection& connection, uint32_t window, const FlowPolicy& policy,
                         const std::function<void()>& wake)
    : connection_(connection),
      input_(connection, ChannelSource::Stream::kData, wake),
      output_(connection, window, policy, wake),
      error_(connection, window, policy, wake) {}

void ExecChannel::start() {
  running_ = true;
  if (input_.ended()) connection_.send_eof(channel_);
}

void ExecChannel::stop_input() {
  running_ = false;
  input_.stop();
}

void ExecChannel::stop() {
  stop_input();
  output_.stop();
  error_.stop();
}

void ExecChannel::on_data(const event::ChannelData& data) {
  bytes_in_ += data.data.size();
  // Both may be one terminal: what came first is written first.
  (data.is_stderr ? output_ : error_).flush(channel_);
  (data.is_stderr ? error_ : output_).take(channel_, data.data);
}

void ExecChannel::on_turn() {
  flush();
  if (!running_ || input_.ended()) return;
  input_.fill(channel_);
  if (input_.ended() && !input_.failure()) connection_.send_eof(channel_);
}

void ExecChannel::flush() {
  output_.flush(channel_);
  error_.flush(channel_);
}

}  // namespace plumb
