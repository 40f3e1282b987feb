#include "sftp/server.h"

#include <algorithm>

#include "core/check.h"
#include "sftp/messages.h"

namespace plumb::sftp {
namespace {

/// Replies beyond this wait for the driver before anything more is taken.
constexpr size_t kHighMark = kMaxPacket;

/// The high mark, the reply that passes it, and the rest of a READ that found the queue empty.
constexpr size_t kQueueLimit = 3 * kMaxPacket;

/// READs that wait for space, as many as OpenSSH's client has in flight, and half as many again.
constexpr size_t kMaxReads = 96;

/// A copy-data gives way to others after so many bytes.
constexpr uint64_t kCopyTurn = 4 * 1024 * 1024;
constexpr size_t kCopyPiece = 256 * 1024;

/// OpenSSH's server reads pieces of 64 KiB, and says that the source has ended if a piece is empty while others were to
/// follow it. Clients know no other answers.
StatusCode end_of_short_source(const CopyJob& job) {
  constexpr uint64_t kPiece = 64 * 1024;
  const uint64_t to_the_empty_one = (job.copied + kPiece - 1) / kPiece * kPiece + kPiece;
  return !job.to_end && job.copied + job.left > to_the_empty_one ? StatusCode::kEof : StatusCode::kOk;
}

}  // namespace

Server::Server(Files& files, ServerOptions options) : queue_(kQueueLimit), requests_(files, options, queue_) {}

bool Server::can_take() const {
  return queue_.size() < kHighMark && reads_.size() < kMaxReads && held_.empty() && !copy_;
}

Result<size_t> Server::input(Bytes data) {
  if (broken_) return tl::unexpected(*broken_);
  Bytes in = data;
  while (can_take()) {
    Result<std::optional<Piece>> piece = splitter_.next(in);
    if (piece && !*piece) break;
    const Result<void> taken = piece ? take(**piece) : tl::unexpected(piece.error());
    if (taken) continue;
    broken_ = taken.error();
    return tl::unexpected(*broken_);
  }
  return data.size() - in.size();
}

Result<void> Server::take(const Piece& piece) {
  if (piece.packet.empty()) {
    write(piece);
    return {};
  }
  if (reads_.empty() || piece.packet[0] == Read::kId) return serve(piece.packet);
  held_.assign(piece.packet.begin(), piece.packet.end());
  return {};
}

Result<void> Server::serve(Bytes packet) {
  if (packet[0] == Init::kId) {
    greeted_ = true;
    return requests_.greet(packet);
  }
  if (!greeted_) return fail(ErrorCode::kProtocol, "the client asked before it said which version of SFTP it speaks");
  if (const Result<Read> read = parse<Read>(packet)) {
    reads_.push_back({read->id, {read->handle.begin(), read->handle.end()}, read->offset, read->length});
    return {};
  }
  if (const Result<Write> write = parse<Write>(packet); write && write->handle.size() <= kMaxHandle) {
    begin_write(*write);
    return {};
  }
  const Result<void> served = requests_.serve(packet);
  copy_ = requests_.take_copy();
  return served;
}

void Server::begin_write(const Write& m) {
  write_ = PendingWrite{m.id, requests_.file(m.handle), m.offset, StatusCode::kOk};
  if (write_->file == nullptr) write_->status = StatusCode::kFailure;
  if (requests_.read_only()) write_->status = StatusCode::kPermissionDenied;
  if (write_->status != StatusCode::kOk) write_->file = nullptr;
  if (m.length == 0) end_write();
}

void Server::write(const Piece& piece) {
  PLUMB_CHECK(write_.has_value());
  if (write_->file != nullptr) {
    const Result<void> written = write_->file->write_at(write_->offset, piece.payload);
    write_->offset += piece.payload.size();
    if (!written) {
      write_->status = status_of(written.error());
      write_->file = nullptr;
    }
  }
  if (piece.payload_left == 0) end_write();
}

void Server::end_write() {
  requests_.reply_status(write_->id, write_->status);
  write_.reset();
}

size_t Server::output(MutBytes space) {
  size_t used = queue_.take(space);
  while (used < space.size() && queue_.empty()) {
    const MutBytes left = space.subspan(used);
    if (!reads_.empty()) {
      // Most of a reply would be copied twice: better a space that is not full.
      const size_t wanted = std::min<size_t>({reads_.front().length, kMaxPayload, space.size()});
      if (used != 0 && left.size() < wanted / 2) break;
      used += send_read(left);
    } else if (copy_) {
      continue_copy();
      if (copy_) break;
    } else if (!held_.empty()) {
      const std::vector<uint8_t> packet = std::exchange(held_, {});
      if (const Result<void> served = serve(packet); !served) broken_ = served.error();
    } else {
      break;
    }
    used += queue_.take(space.subspan(used));
  }
  return used;
}

// The reply to the oldest READ, as much of it as possible in `space`. A regular file gives all that was asked for, up
// to its end (§6.4).
size_t Server::send_read(MutBytes space) {
  const PendingRead read = std::move(reads_.front());
  reads_.pop_front();
  File* file = requests_.file(read.handle);
  if (file == nullptr) {
    requests_.reply_status(read.id, StatusCode::kFailure);
    return 0;
  }
  PayloadPacket packet(queue_, space, Data{.id = read.id}, std::min(read.length, kMaxPayload));
  Result<size_t> size = file->read_at(read.offset, packet.first());
  if (size && *size == packet.first().size()) {
    const Result<size_t> more = file->read_at(read.offset + *size, packet.second());
    if (more) *size += *more;
    if (!more && *size == 0) size = more;
  }
  if (!size) {
    requests_.reply_status(read.id, status_of(size.error()));
    return 0;
  }
  if (*size == 0 && read.length != 0) {
    requests_.reply_status(read.id, StatusCode::kEof);
    return 0;
  }
  return packet.commit(*size);
}

void Server::continue_copy() {
  std::vector<uint8_t> buffer(kCopyPiece);
  for (uint64_t turn = 0; turn < kCopyTurn;) {
    if (!copy_->to_end && copy_->left == 0) {
      requests_.reply_status(copy_->id, StatusCode::kOk);
      return copy_.reset();
    }
    const size_t want = copy_->to_end ? buffer.size() : std::min<uint64_t>(buffer.size(), copy_->left);
    const MutBytes piece = MutBytes(buffer).first(want);
    const Result<size_t> size = copy_->from->read_at(copy_->from_offset, piece);
    Result<void> done = size ? Result<void>() : tl::unexpected(size.error());
    if (size && *size != 0) done = copy_->to->write_at(copy_->to_offset, piece.first(*size));
    if (!done) {
      requests_.reply(copy_->id, done);
      return copy_.reset();
    }
    copy_->from_offset += *size;
    copy_->to_offset += *size;
    copy_->copied += *size;
    copy_->left -= copy_->to_end ? 0 : *size;
    if (*size < want) {
      requests_.reply_status(copy_->id, end_of_short_source(*copy_));
      return copy_.reset();
    }
    turn += *size;
  }
}

}  // namespace plumb::sftp
