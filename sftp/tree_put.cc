#include "sftp/tree_put.h"

#include "sftp/file_put.h"

namespace plumb::sftp {
namespace {

/// Folders that are being made at once; reading rests meanwhile.
constexpr size_t kMaking = 32;

}  // namespace

TreePut::TreePut(Client& client, Files& files, std::string local, std::string remote, TreeOptions options,
                 TreeObserver& observer)
    : TreeTask(client, files, options, observer), local_(std::move(local)), remote_(std::move(remote)) {}

void TreePut::advance(Time now) {
  if (!begun_) begin(now);
  while (!to_make_.empty() && client_.has_room()) {
    const FolderRef folder = to_make_.back();
    to_make_.pop_back();
    // Writable for us while it is filled.
    ask(Ask::kMake, folder,
        client_.make_directory(folder->target, with_permissions((folder->attrs.permissions & 0777) | 0700)));
  }
  walk(now);
  while (!to_finish_.empty() && client_.has_room()) {
    const FolderRef folder = to_finish_.back();
    to_finish_.pop_back();
    Attrs kept = folder->attrs;
    kept.flags &= kHasPermissions | kHasTimes;
    kept.permissions &= kModeMask;
    ask(Ask::kAttrs, folder, client_.set_attrs(folder->target, kept));
  }
}

bool TreePut::idle() const {
  return begun_ && asked_.empty() && to_make_.empty() && to_finish_.empty() && ready_.empty();
}

void TreePut::drop_rest() {
  dropped_ = true;
  to_make_.clear();
  ready_.clear();
}

void TreePut::begin(Time now) {
  begun_ = true;
  const Result<Attrs> attrs = files_.stat(local_);
  if (!attrs) return failed(local_, describe(attrs.error()));
  if (!attrs->is_type(kTypeDirectory)) return start_file(local_, remote_, nullptr, now);
  if (!options_.recursive) return failed(local_, "it is a folder; -r copies it with all that is in it");
  to_make_.push_back(enter(local_, remote_, *attrs, nullptr));
}

void TreePut::ask(Ask what, FolderRef folder, const Result<RequestId>& asked, std::string cause) {
  if (asked) {
    asked_.emplace(*asked, Asked{what, std::move(folder), std::move(cause)});
    return;
  }
  failed(folder->source, asked.error().text);
  if (what != Ask::kAttrs) leave(std::move(folder));
}

bool TreePut::on_own_reply(const Reply& reply) {
  const auto found_request = asked_.find(reply.id);
  if (found_request == asked_.end()) return false;
  Asked asked = std::move(found_request->second);
  asked_.erase(found_request);
  const auto* status = std::get_if<reply::Status>(&reply.what);
  const bool done = status == nullptr || status->code == StatusCode::kOk;
  std::string cause;
  if (!done) cause = status->message.empty() ? status_text(status->code) : status->message;
  switch (asked.what) {
    case Ask::kMake:
      if (!done) {
        const Result<RequestId> stat = client_.stat(asked.folder->target);
        ask(Ask::kStat, asked.folder, stat, std::move(cause));
        return true;
      }
      break;
    case Ask::kStat: {
      const auto* told = std::get_if<reply::Attributes>(&reply.what);
      if (told != nullptr && told->attrs.is_type(kTypeDirectory)) break;
      failed(asked.folder->source, asked.folder->target + ": " + asked.cause);
      leave(asked.folder);
      return true;
    }
    case Ask::kAttrs:
      if (!done) failed(asked.folder->source, asked.folder->target + ": its attributes: " + cause);
      return true;
  }
  if (dropped_) {
    leave(asked.folder);
    return true;
  }
  asked.folder->there = true;
  // The newest is filled first, so that few wait.
  ready_.push_front({asked.folder, nullptr});
  return true;
}

/// Reads folders for as long as files may be begun.
void TreePut::walk(Time now) {
  while (!ready_.empty() && has_room() && to_make_.empty() && asked_.size() < kMaking) {
    Reading& first = ready_.front();
    const FolderRef folder = first.folder;
    Result<void> read;
    if (first.entries == nullptr) {
      auto entries = files_.open_directory(folder->source);
      if (entries) first.entries = *std::move(entries);
      if (!entries) read = tl::unexpected(entries.error());
    }
    if (read) {
      const Result<std::optional<DirectoryEntry>> entry = first.entries->next();
      if (entry && *entry) {
        found(folder, **entry, now);
        continue;
      }
      if (!entry) read = tl::unexpected(entry.error());
    }
    if (!read) failed(folder->source, describe(read.error()));
    ready_.pop_front();
    leave(folder);
  }
}

void TreePut::found(const FolderRef& folder, const DirectoryEntry& entry, Time now) {
  if (entry.name == "." || entry.name == "..") return;
  const std::string local = folder->source + "/" + entry.name, remote = folder->target + "/" + entry.name;
  if (entry.attrs.is_type(kTypeLink)) return skipped(local, "a symbolic link");
  if (entry.attrs.is_type(kTypeRegular)) {
    folder->left++;
    return start_file(local, remote, folder, now);
  }
  if (!entry.attrs.is_type(kTypeDirectory)) return skipped(local, "no regular file");
  if (folder->depth + 1 > kMaxDepth) return failed(local, "its folders are too deep");
  to_make_.push_back(enter(local, remote, entry.attrs, folder));
}

void TreePut::start_file(const std::string& local, const std::string& remote, FolderRef folder, Time now) {
  start(std::make_unique<FilePut>(client_, files_, local, remote,
                                  FilePutOptions{.resume = options_.resume,
                                                 .preserve = options_.preserve,
                                                 .max_in_flight = options_.max_in_flight,
                                                 .background = options_.background}),
        std::move(folder), now);
}

void TreePut::complete(Folder& folder) {
  // Times change as files come in, so they are set last; what was there before keeps its own unless it is asked for.
  if (!options_.preserve) return;
  to_finish_.push_back(std::make_shared<Folder>(folder));
}

}  // namespace plumb::sftp
