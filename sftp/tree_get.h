// A remote file or folder, with all that is in it, into a local path.
//
// Names come from the server and are not believed: one that is no plain name of a file is a failure, and so is a second
// one of the same folder. Links in folders are not followed, and like devices passed over, as OpenSSH's sftp does.
#pragma once

#include <deque>
#include <list>
#include <set>
#include <unordered_map>

#include "sftp/file_get.h"
#include "sftp/tree_task.h"

namespace plumb::sftp {

class TreeGet final : public TreeTask {
 public:
  /// `client`, `files` and `observer` must outlive it. The client must be ready.
  TreeGet(Client& client, std::string remote, Files& files, std::string local, TreeOptions options,
          TreeObserver& observer);

 private:
  struct Entry {
    std::string remote, local;
    FolderRef folder;  // that it stands in; null for what was asked for by name
  };
  struct File {
    Entry entry;
    std::optional<Attrs> attrs;
  };
  struct Listing {
    FolderRef folder;
    std::optional<DirectoryHandle> handle;
    size_t reads = 0;            // in flight
    bool ended = false;          // no more are made
    std::set<std::string> seen;  // names
  };
  enum class Ask : uint8_t { kStat, kOpen, kRead, kClose };
  struct Asked {
    Ask what;
    Entry entry;         // of kStat
    Listing* listing{};  // of kOpen and kRead
  };

  void advance(Time now) override;
  bool on_own_reply(const Reply& reply) override;
  bool idle() const override;
  void complete(Folder& folder) override;
  void drop_rest() override;

  void ask_stat(Entry entry);
  void start_file(Time now);
  void start_listing();
  void read_on(Listing& listing);
  void on_names(Listing& listing, const reply::Names& names);
  void on_entry(Listing& listing, const NameEntry& entry);
  void end_listing(Listing& listing);
  void found(Entry entry, const Attrs& attrs);
  bool make_folder(Folder& folder);

  std::vector<Entry> unknown_;  // whose attributes are still to be asked for
  std::deque<File> pending_;
  std::vector<FolderRef> folders_;  // still to be listed, the next one last
  std::list<Listing> listings_;
  std::unordered_map<RequestId, Asked> asked_;
};

}  // namespace plumb::sftp
