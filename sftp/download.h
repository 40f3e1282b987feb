// A remote file read into a local one, with many READs in flight.
//
// Replies may come in any order and shorter than asked for: each part is written where it belongs, and what is missing
// is asked for again. The end is where the server says EOF; the size that STAT tells only decides how READs are cut,
// and beyond it one at a time is asked.
#pragma once

#include <deque>
#include <unordered_map>

#include "sftp/transfer.h"

namespace plumb::sftp {

struct DownloadOptions {
  uint64_t offset = 0;  ///< resume here: so many bytes are in the local file
  uint64_t max_in_flight = kMaxFlight;
  std::optional<uint64_t> size{};  ///< of the remote file, where it is known; asked for if not
};

class Download final : public Transfer {
 public:
  /// `client` and `local` must outlive it; `local` is open to write. The client must be ready.
  Download(Client& client, std::string_view path, File& local, DownloadOptions options);

  void run(Time now) override;
  bool on_reply(const Reply& reply, Time now) override;

  /// The size as STAT told it; for showing progress.
  std::optional<uint64_t> size_hint() const { return size_hint_; }

 private:
  struct Range {
    uint64_t offset;
    uint32_t length;
  };
  struct Pending {
    Range asked;
    uint32_t got = 0;
  };
  void begin();
  void request_reads(Time now);
  std::optional<Range> next_range();
  bool on_read_reply(const Reply& reply, Time now);
  void on_data(Pending& pending, const reply::Data& data);
  void on_end(uint64_t offset);
  void finish_if_done();

  std::optional<RequestId> open_, stat_;
  bool opened_ = false;
  std::optional<uint64_t> size_hint_;
  uint64_t next_offset_;
  std::deque<Range> missing_;    // what short replies left out
  std::optional<uint64_t> end_;  // the least offset of which the server said EOF
  size_t beyond_hint_ = 0;       // reads in flight there
  std::unordered_map<RequestId, Pending> reads_;
};

}  // namespace plumb::sftp
