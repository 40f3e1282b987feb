// A local file written into a remote one, with many WRITEs in flight. The local file is read where the WRITE leaves.
#pragma once

#include <unordered_map>

#include "sftp/transfer.h"

namespace plumb::sftp {

struct UploadOptions {
  uint64_t offset = 0;   ///< resume here: so many bytes are in the remote file, and it is not cut
  uint32_t mode = 0666;  ///< of a file that is made
  Attrs attrs_at_end{};  ///< set once all is written
  bool sync = false;     ///< fsync@openssh.com at the end, where the server has it
  uint64_t max_in_flight = kMaxFlight;
};

class Upload final : public Transfer {
 public:
  /// `client` and `local` must outlive it; `local` is open to read; EAGAIN means that it has nothing
  /// yet. The client must be ready.
  Upload(Client& client, std::string_view path, File& local, UploadOptions options);

  void run(Time now) override;
  bool on_reply(const Reply& reply, Time now) override;
  size_t output(MutBytes space, Time now) override;

  /// Whether `output` would have something.
  bool wants_output() const { return handle_ && !failed() && !read_all_ && flight_.has_room() && client_.has_room(); }

 private:
  enum class Last : uint8_t { kAttrs, kSync, kClose };  // what is asked once all is written
  struct Range {
    uint64_t offset;
    uint64_t length;
  };
  size_t write_next(MutBytes space, uint32_t want, Time now);
  bool on_write_reply(const Reply& reply, Time now);
  void finish_if_done();
  std::optional<Result<RequestId>> ask_last();
  bool cut_off();

  UploadOptions options_;
  std::optional<RequestId> open_, last_;
  bool opened_ = false;
  bool read_all_ = false;
  uint64_t next_offset_;
  Last next_last_ = Last::kAttrs;
  bool cut_ = false;
  std::unordered_map<RequestId, Range> writes_;
};

}  // namespace plumb::sftp
