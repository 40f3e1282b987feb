#include "sftp/file_get.h"

#include <cerrno>

namespace plumb::sftp {

FileGet::FileGet(Client& client, std::string remote, Files& files, std::string local, FileGetOptions options)
    : client_(client),
      remote_(std::move(remote)),
      local_(std::move(local)),
      files_(files),
      options_(std::move(options)) {
  if (options_.known) attrs_ = *options_.known;
}

void FileGet::run(Time now) {
  if (finished_ || stat_) return;
  if (download_) {
    download_->run(now);
    return settle();
  }
  if (options_.known) return begin(now);
  const Result<RequestId> asked = client_.stat(remote_);
  if (asked) stat_ = *asked;
  if (!asked && asked.error().code != ErrorCode::kLimit) fail_locally(asked.error());
}

bool FileGet::on_reply(const Reply& reply, Time now) {
  if (download_) {
    const bool ours = download_->on_reply(reply, now);
    if (ours) settle();
    return ours;
  }
  if (stat_ != reply.id) return false;
  stat_.reset();
  if (const auto* status = std::get_if<reply::Status>(&reply.what)) {
    finish({.error = kRefused, .status = status->code, .message = std::string(status->message)});
    return true;
  }
  attrs_ = std::get<reply::Attributes>(reply.what).attrs;
  attrs_.extended.clear();  // views into the reply
  begin(now);
  return true;
}

void FileGet::begin(Time now) {
  if (attrs_.is_type(kTypeDirectory)) return fail_locally({ErrorCode::kUsage, EISDIR, "it is a folder"});
  if (options_.resume) {
    const Result<Attrs> there = files_.stat(local_);
    if (!there && there.error().os_error != ENOENT) return fail_locally(there.error());
    if (there && there->is_type(kTypeRegular)) offset_ = there->size;
    if (attrs_.has(kHasSize) && offset_ > attrs_.size)
      return fail_locally(
          {ErrorCode::kUsage, 0, "the local file is longer than the remote one, so it is no part of it"});
  }
  const uint32_t mode = attrs_.has(kHasPermissions) ? (attrs_.permissions & 0777) | 0200 : 0666;
  target_ = std::make_unique<LocalTarget>(
      files_, local_, kOpenWrite | kOpenCreate | (options_.resume ? 0 : kOpenTruncate), mode, options_.background);
  std::optional<uint64_t> size;
  if (attrs_.has(kHasSize)) size = attrs_.size;
  download_.emplace(client_, remote_, *target_,
                    DownloadOptions{.offset = offset_, .max_in_flight = options_.max_in_flight, .size = size});
  download_->run(now);
  settle();
}

/// Once the download is over: the file as it shall stay.
void FileGet::settle() {
  if (finished_ || !download_->finished() || target_->busy()) return;
  TransferResult transfer = download_->result();
  if (const auto& failure = target_->failure()) {
    if (!transfer.error) transfer.error = failure->error;
    transfer.contiguous = std::min(transfer.contiguous, failure->from);
  }
  const auto keep = [&transfer](const Result<void>& done) {
    if (!done && !transfer.error) transfer.error = done.error();
  };
  if (!transfer.error) keep(target_->open());  // an empty file
  if (transfer.error && target_->is_open())
    keep(target_->set_attrs({.flags = kHasSize, .size = transfer.contiguous}));  // what stands behind a hole goes
  if (!transfer.error && options_.preserve) {
    Attrs kept = attrs_;
    kept.flags &= kHasPermissions | kHasTimes;
    keep(target_->set_attrs(kept));
  }
  if (target_->is_open()) keep(target_->close());
  finish(transfer);
}

void FileGet::finish(const TransferResult& transfer) {
  transfer_ = transfer;
  finished_ = true;
  target_.reset();
}

void FileGet::abandon(const Error& error) {
  if (finished_) return;
  if (!download_) return fail_locally(error);
  download_->abandon(error);
  if (target_->busy()) options_.background->wait();
  settle();
}

FileResult FileGet::result() const {
  const bool running = download_ && !finished_;
  return {.transfer = running ? download_->result() : transfer_, .resumed_at = offset_};
}

}  // namespace plumb::sftp
