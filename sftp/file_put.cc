#include "sftp/file_put.h"

#include <cerrno>

namespace plumb::sftp {

FilePut::FilePut(Client& client, Files& files, std::string local, std::string remote, FilePutOptions options)
    : client_(client), files_(files), local_(std::move(local)), remote_(std::move(remote)), options_(options) {}

void FilePut::run(Time now) {
  if (finished_ || stat_) return;
  if (!file_) begin();
  if (finished_) return;
  if (!upload_ && !options_.resume) upload(0);
  if (upload_) {
    upload_->run(now);
    return settle();
  }
  const Result<RequestId> asked = client_.stat(remote_);
  if (asked) stat_ = *asked;
  if (!asked && asked.error().code != ErrorCode::kLimit) fail_locally(asked.error());
}

void FilePut::begin() {
  auto file = files_.open(local_, kOpenRead, {});
  if (!file) return fail_locally(file.error());
  const Result<Attrs> attrs = (*file)->stat();
  if (!attrs) return fail_locally(attrs.error());
  if (attrs->is_type(kTypeDirectory)) return fail_locally({ErrorCode::kUsage, EISDIR, "it is a folder"});
  if (!attrs->is_type(kTypeRegular)) return fail_locally({ErrorCode::kUsage, 0, "it is no regular file"});
  attrs_ = *attrs;
  file_ = std::make_unique<LocalSource>(*std::move(file), attrs_.size, options_.background);
}

bool FilePut::on_reply(const Reply& reply, Time now) {
  if (upload_) {
    const bool ours = upload_->on_reply(reply, now);
    if (ours) settle();
    return ours;
  }
  if (stat_ != reply.id) return false;
  stat_.reset();
  const auto* status = std::get_if<reply::Status>(&reply.what);
  if (status != nullptr && status->code != StatusCode::kNoSuchFile) {
    finish({.error = kRefused, .status = status->code, .message = std::string(status->message)});
    return true;
  }
  const auto* there = std::get_if<reply::Attributes>(&reply.what);
  const uint64_t size = there != nullptr && there->attrs.has(kHasSize) ? there->attrs.size : 0;
  if (size > attrs_.size) {
    fail_locally({ErrorCode::kUsage, 0, "the remote file is longer than the local one, so it is no part of it"});
    return true;
  }
  upload(size);
  upload_->run(now);
  settle();
  return true;
}

void FilePut::upload(uint64_t offset) {
  offset_ = offset;
  UploadOptions options{.offset = offset,
                        .mode = attrs_.permissions & (options_.preserve ? kModeMask : 0777u),
                        .sync = options_.sync,
                        .max_in_flight = options_.max_in_flight};
  if (options_.preserve) {
    options.attrs_at_end = attrs_;
    options.attrs_at_end.flags &= kHasPermissions | kHasTimes;
    options.attrs_at_end.permissions &= kModeMask;
  }
  upload_.emplace(client_, remote_, *file_, std::move(options));
}

size_t FilePut::output(MutBytes space, Time now) {
  if (!upload_ || finished_) return 0;
  const size_t n = upload_->output(space, now);
  settle();
  return n;
}

void FilePut::settle() {
  if (finished_ || !upload_->finished()) return;
  finish(upload_->result());
}

void FilePut::finish(const TransferResult& transfer) {
  transfer_ = transfer;
  finished_ = true;
}

void FilePut::abandon(const Error& error) {
  if (finished_) return;
  if (!upload_) return fail_locally(error);
  upload_->abandon(error);
  settle();
}

FileResult FilePut::result() const {
  const bool running = upload_ && !finished_;
  return {.transfer = running ? upload_->result() : transfer_, .resumed_at = offset_};
}

}  // namespace plumb::sftp
