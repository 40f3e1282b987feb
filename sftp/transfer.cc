#include "sftp/transfer.h"

#include <cerrno>

#include "sftp/file_task.h"

namespace plumb::sftp {

bool FileResult::disk_full() const {
  return transfer.error && (transfer.error->os_error == ENOSPC || transfer.error->os_error == EDQUOT);
}

std::string cause_of(const TransferResult& transfer) {
  if (!transfer.error) return "";
  if (transfer.status == StatusCode::kOk) return describe(*transfer.error);
  return transfer.message.empty() ? std::string(status_text(transfer.status)) : transfer.message;
}

TransferResult Transfer::result() const {
  return {.contiguous = ranges_.contiguous(), .error = error_, .status = status_, .message = message_};
}

// The first failure is the cause; what comes after it follows from it.
void Transfer::fail_locally(const Error& error) {
  if (!error_) error_ = error;
}

void Transfer::fail_remotely(const reply::Status& status) {
  if (error_) return;
  error_ = kRefused;
  status_ = status.code;
  message_ = status.message;
}

void Transfer::close() {
  if (close_ || finished_) return;
  if (!handle_) {
    finished_ = true;
    return;
  }
  const Result<RequestId> asked = client_.close(*handle_);
  if (asked) {
    close_ = *asked;
    return;
  }
  if (asked.error().code == ErrorCode::kLimit) return;  // others took the room; asked again
  fail_locally(asked.error());
  finished_ = true;
}

bool Transfer::on_close_reply(const Reply& reply) {
  if (!close_ || reply.id != *close_) return false;
  const auto& status = std::get<reply::Status>(reply.what);
  if (status.code != StatusCode::kOk) fail_remotely(status);
  finished_ = true;
  return true;
}

}  // namespace plumb::sftp
