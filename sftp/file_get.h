// One remote file into one local path: what it is asked first, the local file that is made only once the remote one is
// open, what is left of it after a failure, and the attributes.
#pragma once

#include "sftp/download.h"
#include "sftp/file_task.h"
#include "sftp/local_end.h"

namespace plumb::sftp {

struct FileGetOptions {
  bool resume = false;    ///< go on behind what the local file has
  bool preserve = false;  ///< mode and times, as the remote file has them
  uint64_t max_in_flight = kMaxFlight;
  Background* background = nullptr;  ///< for a slow disk; must outlive the task
  std::optional<Attrs> known{};      ///< of the remote file, from a listing; asked for if not given
};

class FileGet final : public FileTask {
 public:
  /// `client` and `files` must outlive it. The client must be ready.
  FileGet(Client& client, std::string remote, Files& files, std::string local, FileGetOptions options);

  void run(Time now) override;
  bool on_reply(const Reply& reply, Time now) override;
  void abandon(const Error& error) override;
  bool finished() const override { return finished_; }

  FileResult result() const override;

  const std::string& source() const override { return remote_; }
  uint64_t size() const override { return attrs_.has(kHasSize) ? attrs_.size : 0; }  ///< as far as known

 private:
  void begin(Time now);
  void settle();
  void finish(const TransferResult& transfer);
  void fail_locally(const Error& error) { finish({.error = error}); }

  Client& client_;
  std::string remote_, local_;
  Files& files_;
  FileGetOptions options_;
  Attrs attrs_;
  uint64_t offset_ = 0;
  std::optional<RequestId> stat_;
  std::unique_ptr<LocalTarget> target_;
  std::optional<Download> download_;
  TransferResult transfer_;
  bool finished_ = false;
};

}  // namespace plumb::sftp
