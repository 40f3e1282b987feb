// Files at the end of a session channel: the event loop's side of an SftpWorker.
#pragma once

#include <memory>

#include "forward/internal_sftp.h"
#include "forward/session_context.h"
#include "forward/session_program.h"
#include "forward/sftp_worker.h"

namespace plumb {

class SftpProgram final : public SessionProgram {
 public:
  /// kSystem if the system has no thread left.
  static Result<std::unique_ptr<SessionProgram>> start(const SessionContext& context, ChannelId channel,
                                                       const InternalSftp& asked);
  ~SftpProgram() override { worker_->stop(); }

  void on_data(Bytes data) override { worker_->give(data); }
  void on_eof() override { worker_->end_input(); }
  void on_end_of_write() override;
  bool send_signal(int) override { return false; }
  void flush() override;
  bool step() override;
  bool settle() override;

 private:
  SftpProgram(const SessionContext& context, ChannelId channel, std::shared_ptr<SftpWorker> worker)
      : context_(context), channel_(channel), worker_(std::move(worker)) {}

  const SessionContext& context_;
  ChannelId channel_;
  std::shared_ptr<SftpWorker> worker_;
  bool reader_gone_ = false;
};

}  // namespace plumb
