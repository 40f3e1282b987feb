#include "sftp/upload.h"

#include <algorithm>
#include <cerrno>

namespace plumb::sftp {
namespace {

/// Fields of a WRITE with its length field, without the handle.
constexpr size_t kFields = 4 + 1 + 4 + 4 + 8 + 4;

/// A payload that is worth a message of its own at the end of a space.
constexpr size_t kWorthwhile = 4096;

/// Into a space smaller than that.
constexpr uint32_t kThroughQueue = 32 * 1024;

}  // namespace

Upload::Upload(Client& client, std::string_view path, File& local, UploadOptions options)
    : Transfer(client, path, local, options.offset, options.max_in_flight),
      options_(std::move(options)),
      next_offset_(options_.offset) {}

void Upload::run(Time) {
  if (finished()) return;
  if (!open_ && !failed()) {
    const uint32_t truncate = options_.offset == 0 ? kOpenTruncate : 0;
    const Result<RequestId> open =
        client_.open(path_, kOpenWrite | kOpenCreate | truncate, with_permissions(options_.mode));
    if (open)
      open_ = *open;
    else
      fail_locally(open.error());
  }
  finish_if_done();
}

size_t Upload::output(MutBytes space, Time now) {
  size_t used = 0;
  while (wants_output() && !client_.wants_output() && used < space.size()) {
    const MutBytes left = space.subspan(used);
    const size_t head = kFields + handle_->bytes.size();
    const uint32_t most = client_.max_write(*handle_);
    if (used > 0 && left.size() < head + kWorthwhile) break;
    const uint32_t want = left.size() >= head + kWorthwhile
                              ? static_cast<uint32_t>(std::min<size_t>(most, left.size() - head))
                              : std::min(most, kThroughQueue);
    const size_t n = write_next(left, want, now);
    if (n == 0) break;
    used += n;
    used += client_.output(space.subspan(used));
  }
  if (read_all_ || failed()) finish_if_done();  // no reply may be due that would do it
  return used;
}

// One WRITE of what the local file has next.
size_t Upload::write_next(MutBytes space, uint32_t want, Time now) {
  Result<PayloadPacket> packet = client_.begin_write(space, *handle_, next_offset_, want);
  if (!packet) {
    fail_locally(packet.error());
    return 0;
  }
  Result<size_t> size = local_.read_at(next_offset_, packet->first());
  if (size && *size == packet->first().size()) {
    const Result<size_t> more = local_.read_at(next_offset_ + *size, packet->second());
    if (more) *size += *more;
    if (!more) size = more;
  }
  if (!size) {
    if (size.error().os_error != EAGAIN) fail_locally(size.error());  // else it is there later
    return 0;
  }
  read_all_ = *size < want;
  if (*size == 0) return 0;
  const Client::Written written = client_.commit_write(*packet, *size);
  writes_.emplace(written.id, Range{next_offset_, *size});
  next_offset_ += *size;
  flight_.sent(*size, now);
  return written.used;
}

bool Upload::on_reply(const Reply& reply, Time now) {
  const bool ours = [&] {
    if (on_close_reply(reply)) return true;
    if (open_ == reply.id && !opened_) {
      opened_ = true;
      if (const auto* file = std::get_if<reply::FileOpened>(&reply.what)) handle_ = file->handle;
      if (const auto* status = std::get_if<reply::Status>(&reply.what)) fail_remotely(*status);
      return true;
    }
    if (last_ == reply.id) {
      last_.reset();
      const auto& status = std::get<reply::Status>(reply.what);
      if (status.code != StatusCode::kOk) fail_remotely(status);
      return true;
    }
    return on_write_reply(reply, now);
  }();
  if (ours) run(now);
  return ours;
}

bool Upload::on_write_reply(const Reply& reply, Time now) {
  const auto found = writes_.find(reply.id);
  if (found == writes_.end()) return false;
  const Range range = found->second;
  writes_.erase(found);
  flight_.arrived(range.length, now);
  const auto& status = std::get<reply::Status>(reply.what);
  if (status.code == StatusCode::kOk)
    ranges_.add(range.offset, range.offset + range.length);
  else
    fail_remotely(status);
  return true;
}

void Upload::finish_if_done() {
  if (!writes_.empty() || last_ || (open_ && !opened_)) return;
  if (!failed() && !read_all_) return;
  if (failed() && cut_off()) return;
  while (!failed() && next_last_ != Last::kClose) {
    const std::optional<Result<RequestId>> asked = ask_last();
    next_last_ = static_cast<Last>(static_cast<int>(next_last_) + 1);
    if (!asked) continue;
    if (*asked) {
      last_ = **asked;
      return;
    }
    fail_locally(asked->error());
  }
  close();
}

// After a failure: whoever resumes goes on behind what is there, so nothing may stand behind a hole.
bool Upload::cut_off() {
  if (cut_ || !handle_ || ranges_.furthest() == ranges_.contiguous()) return false;
  cut_ = true;
  const Result<RequestId> asked = client_.set_attrs(*handle_, {.flags = kHasSize, .size = ranges_.contiguous()});
  if (asked) last_ = *asked;
  return asked.has_value();
}

std::optional<Result<RequestId>> Upload::ask_last() {
  if (next_last_ == Last::kAttrs && options_.attrs_at_end.flags != 0)
    return client_.set_attrs(*handle_, options_.attrs_at_end);
  if (next_last_ == Last::kSync && options_.sync && client_.supports(Extension::kFsync)) return client_.sync(*handle_);
  return std::nullopt;
}

}  // namespace plumb::sftp
