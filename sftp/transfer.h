// What downloads and uploads have in common: the task of one remote file, over a Client that others may use too.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "sftp/client.h"
#include "sftp/contiguous_ranges.h"
#include "sftp/files.h"
#include "sftp/flight_control.h"
#include "sftp/task.h"

namespace plumb::sftp {

/// Bytes of requests in flight, at most: 100 ms at 2.5 Gbit/s.
inline constexpr uint64_t kMaxFlight = 32 * 1024 * 1024;

/// The error of a transfer that the server refused.
inline constexpr Error kRefused{ErrorCode::kSystem, 0, "the server refused a request of the transfer"};

struct TransferResult {
  /// Bytes from the start of the file that are surely there, in the local file of a download, in the remote one of an
  /// upload: where another transfer may resume.
  uint64_t contiguous = 0;

  /// Nothing if all went well. Where it was the server that refused, `status` is what it said, else kOk.
  std::optional<Error> error;
  StatusCode status = StatusCode::kOk;
  std::string message{};  ///< in the server's words; print as untrusted
};

class Transfer : public Task {
 public:
  bool finished() const final { return finished_; }
  void abandon(const Error& error) final {
    if (finished_) return;
    fail_locally(error);
    finished_ = true;
  }

  /// While it runs: how far it got.
  TransferResult result() const;

 protected:
  Transfer(Client& client, std::string_view path, File& local, uint64_t offset, uint64_t max_in_flight)
      : client_(client), path_(path), local_(local), ranges_(offset), flight_(max_in_flight) {}

  void fail_locally(const Error& error);
  void fail_remotely(const reply::Status& status);
  bool failed() const { return error_.has_value(); }

  /// CLOSE, or the end at once where nothing is open. Once all other replies came.
  void close();

  /// True if `reply` was that of `close`.
  bool on_close_reply(const Reply& reply);

  Client& client_;
  std::string path_;
  File& local_;
  ContiguousRanges ranges_;
  FlightControl flight_;
  std::optional<FileHandle> handle_;

 private:
  std::optional<RequestId> close_;
  bool finished_ = false;
  std::optional<Error> error_;
  StatusCode status_ = StatusCode::kOk;
  std::string message_;
};

}  // namespace plumb::sftp
