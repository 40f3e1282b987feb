// One local file into one remote path: what it is, where to go on, its attributes.
#pragma once

#include "sftp/file_task.h"
#include "sftp/local_end.h"
#include "sftp/upload.h"

namespace plumb::sftp {

struct FilePutOptions {
  bool resume = false;    ///< go on behind what the remote file has
  bool preserve = false;  ///< mode and times, as the local file has them
  bool sync = false;      ///< on the server's disk at the end, where it can say so
  uint64_t max_in_flight = kMaxFlight;
  Background* background = nullptr;  ///< for a slow disk; must outlive the task
};

class FilePut final : public FileTask {
 public:
  /// `client` and `files` must outlive it. The client must be ready.
  FilePut(Client& client, Files& files, std::string local, std::string remote, FilePutOptions options);

  void run(Time now) override;
  bool on_reply(const Reply& reply, Time now) override;
  size_t output(MutBytes space, Time now) override;
  void abandon(const Error& error) override;
  bool finished() const override { return finished_; }

  FileResult result() const override;

  const std::string& source() const override { return local_; }
  uint64_t size() const override { return attrs_.size; }  ///< as it was when it was opened

 private:
  void begin();
  void upload(uint64_t offset);
  void settle();
  void finish(const TransferResult& transfer);
  void fail_locally(const Error& error) { finish({.error = error}); }

  Client& client_;
  Files& files_;
  std::string local_, remote_;
  FilePutOptions options_;
  Attrs attrs_;
  std::unique_ptr<LocalSource> file_;
  std::optional<RequestId> stat_;
  std::optional<Upload> upload_;
  uint64_t offset_ = 0;
  TransferResult transfer_;
  bool finished_ = false;
};

}  // namespace plumb::sftp
