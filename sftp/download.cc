#include "sftp/download.h"

#include <algorithm>

namespace plumb::sftp {

Download::Download(Client& client, std::string_view path, File& local, DownloadOptions options)
    : Transfer(client, path, local, options.offset, options.max_in_flight),
      size_hint_(options.size),
      next_offset_(options.offset) {}

void Download::run(Time now) {
  if (finished()) return;
  if (!open_ && !failed()) begin();
  if (handle_ && !failed()) request_reads(now);
  finish_if_done();
}

// Both at once: the size is known by the time it is needed, and costs no round trip.
void Download::begin() {
  if (!size_hint_) {
    const Result<RequestId> stat = client_.stat(path_);
    if (stat) stat_ = *stat;
  }
  const Result<RequestId> open = client_.open(path_, kOpenRead);
  if (open)
    open_ = *open;
  else
    fail_locally(open.error());
}

void Download::request_reads(Time now) {
  while (flight_.has_room() && client_.has_room()) {
    const std::optional<Range> range = next_range();
    if (!range) return;
    const Result<RequestId> asked = client_.read(*handle_, range->offset, range->length);
    if (!asked) return fail_locally(asked.error());
    if (size_hint_.value_or(0) <= range->offset) beyond_hint_++;
    reads_.emplace(*asked, Pending{*range});
    flight_.sent(range->length, now);
  }
}

std::optional<Download::Range> Download::next_range() {
  const uint64_t hint = size_hint_.value_or(0);
  const uint32_t most = client_.limits().max_read;
  while (!missing_.empty()) {
    Range& front = missing_.front();
    Range range{front.offset, std::min(front.length, most)};
    front.offset += range.length;
    front.length -= range.length;
    if (front.length == 0) missing_.pop_front();
    if (!end_ || range.offset < *end_) return range;
  }
  if (end_) return std::nullopt;
  if (next_offset_ >= hint && beyond_hint_ != 0) return std::nullopt;
  // The last read before the hinted end stops there, so that no reply is short where the hint is right.
  const uint64_t length = next_offset_ < hint ? std::min<uint64_t>(most, hint - next_offset_) : most;
  const Range range{next_offset_, static_cast<uint32_t>(length)};
  next_offset_ += length;
  return range;
}

bool Download::on_reply(const Reply& reply, Time now) {
  const bool ours = [&] {
    if (on_close_reply(reply)) return true;
    if (stat_ == reply.id) {
      stat_.reset();
      if (const auto* told = std::get_if<reply::Attributes>(&reply.what); told != nullptr && told->attrs.has(kHasSize))
        size_hint_ = told->attrs.size;
      // Reads made without the hint are counted again.
      beyond_hint_ = static_cast<size_t>(std::count_if(reads_.begin(), reads_.end(), [this](const auto& read) {
        return read.second.asked.offset >= size_hint_.value_or(0);
      }));
      return true;
    }
    if (open_ == reply.id && !opened_) {
      opened_ = true;
      if (const auto* file = std::get_if<reply::FileOpened>(&reply.what)) handle_ = file->handle;
      if (const auto* status = std::get_if<reply::Status>(&reply.what)) fail_remotely(*status);
      return true;
    }
    return on_read_reply(reply, now);
  }();
  if (ours) run(now);
  return ours;
}

bool Download::on_read_reply(const Reply& reply, Time now) {
  const auto found = reads_.find(reply.id);
  if (found == reads_.end()) return false;
  Pending& pending = found->second;
  const auto* data = std::get_if<reply::Data>(&reply.what);
  if (data != nullptr) on_data(pending, *data);
  if (data != nullptr && !data->last) return true;
  const auto* status = std::get_if<reply::Status>(&reply.what);
  if (status != nullptr && status->code == StatusCode::kEof) on_end(pending.asked.offset);
  if (status != nullptr && status->code != StatusCode::kEof) fail_remotely(*status);
  if (data != nullptr && pending.got < pending.asked.length)
    missing_.push_back({pending.asked.offset + pending.got, pending.asked.length - pending.got});
  if (size_hint_.value_or(0) <= pending.asked.offset) beyond_hint_--;
  flight_.arrived(pending.asked.length, now);
  reads_.erase(found);
  return true;
}

void Download::on_data(Pending& pending, const reply::Data& data) {
  pending.got += static_cast<uint32_t>(data.bytes.size());
  if (failed()) return;
  const Result<void> written = local_.write_at(data.offset, data.bytes);
  if (!written) return fail_locally(written.error());
  ranges_.add(data.offset, data.offset + data.bytes.size());
}

void Download::on_end(uint64_t offset) { end_ = std::min(end_.value_or(offset), offset); }

void Download::finish_if_done() {
  if (!reads_.empty() || stat_ || (open_ && !opened_)) return;
  if (!failed() && (!end_ || !missing_.empty())) return;
  // A part behind the end was there a moment ago.
  if (!failed() && ranges_.furthest() > *end_)
    fail_locally({ErrorCode::kFormat, 0, "the remote file became shorter while it was read"});
  close();
}

}  // namespace plumb::sftp
