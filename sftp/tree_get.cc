#include "sftp/tree_get.h"

#include <cerrno>

namespace plumb::sftp {
namespace {

/// Folders that are listed at once, READDIRs of each in flight, and files found after which listing rests.
constexpr size_t kListings = 8;
constexpr size_t kReads = 4;
constexpr size_t kFound = 4096;

/// Folders that wait to be listed; a server that shows more makes them up.
constexpr size_t kMaxFolders = 100'000;

bool is_plain(std::string_view name) {
  return !name.empty() && name.find('/') == std::string_view::npos && name.find('\0') == std::string_view::npos;
}

std::string below(const std::string& folder, std::string_view name) {
  return std::string(folder).append(folder.ends_with('/') ? "" : "/").append(name);
}

}  // namespace

TreeGet::TreeGet(Client& client, std::string remote, Files& files, std::string local, TreeOptions options,
                 TreeObserver& observer)
    : TreeTask(client, files, options, observer) {
  unknown_.push_back({.remote = std::move(remote), .local = std::move(local), .folder = nullptr});
}

void TreeGet::advance(Time now) {
  while (!unknown_.empty() && client_.has_room()) {
    Entry entry = std::move(unknown_.back());
    unknown_.pop_back();
    ask_stat(std::move(entry));
  }
  while (!pending_.empty() && has_room()) start_file(now);
  while (!folders_.empty() && listings_.size() < kListings && pending_.size() < kFound && client_.has_room())
    start_listing();
  for (Listing& listing : listings_) read_on(listing);
  std::erase_if(listings_, [](const Listing& listing) { return listing.folder == nullptr; });
}

bool TreeGet::idle() const {
  return asked_.empty() && unknown_.empty() && pending_.empty() && folders_.empty() && listings_.empty();
}

void TreeGet::drop_rest() {
  unknown_.clear();
  pending_.clear();
  folders_.clear();
  for (Listing& listing : listings_) listing.ended = true;
}

void TreeGet::ask_stat(Entry entry) {
  // What was asked for by name may be a link to it.
  const Result<RequestId> asked =
      entry.folder == nullptr ? client_.stat(entry.remote) : client_.link_stat(entry.remote);
  if (asked) {
    asked_.emplace(*asked, Asked{.what = Ask::kStat, .entry = std::move(entry)});
    return;
  }
  failed(entry.remote, asked.error().text);
  leave(entry.folder);
}

bool TreeGet::on_own_reply(const Reply& reply) {
  const auto found_request = asked_.find(reply.id);
  if (found_request == asked_.end()) return false;
  Asked asked = std::move(found_request->second);
  asked_.erase(found_request);
  const auto* status = std::get_if<reply::Status>(&reply.what);
  const auto why = [&] {
    return status->message.empty() ? std::string(status_text(status->code)) : std::string(status->message);
  };
  switch (asked.what) {
    case Ask::kClose: break;
    case Ask::kStat:
      if (status != nullptr) {
        failed(asked.entry.remote, why());
        leave(asked.entry.folder);
      } else {
        found(std::move(asked.entry), std::get<reply::Attributes>(reply.what).attrs);
      }
      break;
    case Ask::kOpen:
      if (status != nullptr) {
        failed(asked.listing->folder->source, why());
        asked.listing->ended = true;
      } else {
        asked.listing->handle = std::get<reply::DirectoryOpened>(reply.what).handle;
      }
      break;
    case Ask::kRead:
      asked.listing->reads--;
      if (status != nullptr) {
        if (status->code != StatusCode::kEof && !asked.listing->ended) failed(asked.listing->folder->source, why());
        asked.listing->ended = true;
      } else {
        on_names(*asked.listing, std::get<reply::Names>(reply.what));
      }
      break;
  }
  return true;
}

void TreeGet::found(Entry entry, const Attrs& attrs) {
  if (!attrs.is_type(kTypeDirectory)) {
    const bool plain = !attrs.has(kHasPermissions) || attrs.is_type(kTypeRegular) || entry.folder == nullptr;
    if (plain) {
      Attrs known = attrs;
      known.extended.clear();  // views into the reply
      pending_.push_back({std::move(entry), std::move(known)});
      return;
    }
    skipped(entry.remote, attrs.is_type(kTypeLink) ? "a symbolic link" : "no regular file");
    return leave(entry.folder);
  }
  const FolderRef parent = entry.folder;
  if (!options_.recursive)
    failed(entry.remote, "it is a folder; -r copies it with all that is in it");
  else if (parent != nullptr && parent->depth + 1 > kMaxDepth)
    failed(entry.remote, "its folders are too deep");
  else if (folders_.size() >= kMaxFolders)
    failed(entry.remote, "the server shows too many folders");
  else
    folders_.push_back(enter(std::move(entry.remote), std::move(entry.local), attrs, parent));
  leave(parent);
}

void TreeGet::start_file(Time now) {
  File file = std::move(pending_.front());
  pending_.pop_front();
  start(std::make_unique<FileGet>(client_, std::move(file.entry.remote), files_, std::move(file.entry.local),
                                  FileGetOptions{.resume = options_.resume,
                                                 .preserve = options_.preserve,
                                                 .max_in_flight = options_.max_in_flight,
                                                 .background = options_.background,
                                                 .known = std::move(file.attrs)}),
        std::move(file.entry.folder), now);
}

void TreeGet::start_listing() {
  const FolderRef folder = folders_.back();
  folders_.pop_back();
  if (!make_folder(*folder)) return leave(folder);
  const Result<RequestId> asked = client_.open_directory(folder->source);
  if (!asked) {
    failed(folder->source, asked.error().text);
    return leave(folder);
  }
  listings_.emplace_back().folder = folder;
  asked_.emplace(*asked, Asked{.what = Ask::kOpen, .entry = {}, .listing = &listings_.back()});
}

bool TreeGet::make_folder(Folder& folder) {
  const uint32_t mode = folder.attrs.has(kHasPermissions) ? folder.attrs.permissions & 0777 : 0777;
  const Result<void> made = files_.make_directory(folder.target, mode | 0700);
  folder.there = made.has_value();
  if (!made && made.error().os_error == EEXIST) {
    const Result<Attrs> there = files_.stat(folder.target);
    folder.there = there && there->is_type(kTypeDirectory);
  }
  if (folder.there) return true;
  failed(folder.source, folder.target + ": " + describe(made.error()));
  return false;
}

void TreeGet::read_on(Listing& listing) {
  while (listing.handle && !listing.ended && listing.reads < kReads && pending_.size() < kFound && client_.has_room()) {
    const Result<RequestId> asked = client_.read_directory(*listing.handle);
    if (!asked) return;
    asked_.emplace(*asked, Asked{.what = Ask::kRead, .entry = {}, .listing = &listing});
    listing.reads++;
  }
  if (listing.ended && listing.reads == 0) end_listing(listing);
}

void TreeGet::end_listing(Listing& listing) {
  if (listing.handle) {
    const Result<RequestId> asked = client_.close(*listing.handle);
    if (!asked) return;  // there is room soon
    asked_.emplace(*asked, Asked{.what = Ask::kClose, .entry = {}});
  }
  leave(std::exchange(listing.folder, nullptr));
}

void TreeGet::on_names(Listing& listing, const reply::Names& names) {
  if (listing.ended) return;
  for (const NameEntry& entry : names.entries) on_entry(listing, entry);
}

void TreeGet::on_entry(Listing& listing, const NameEntry& entry) {
  Folder& folder = *listing.folder;
  const std::string_view name = entry.name;
  if (name == "." || name == "..") return;
  if (!is_plain(name)) return failed(below(folder.source, name), "the server lists it, but it is no name of a file");
  if (!listing.seen.emplace(name).second) return failed(below(folder.source, name), "the server lists it twice");
  folder.left++;
  Entry inside{below(folder.source, name), below(folder.target, name), listing.folder};
  if (!entry.attrs.has(kHasPermissions)) return unknown_.push_back(std::move(inside));
  found(std::move(inside), entry.attrs);
}

void TreeGet::complete(Folder& folder) {
  if (!options_.preserve) return;
  Attrs kept = folder.attrs;
  kept.flags &= kHasPermissions | kHasTimes;
  const Result<void> set = files_.set_attrs(folder.target, kept);
  if (!set) failed(folder.source, folder.target + ": " + describe(set.error()));
}

}  // namespace plumb::sftp
