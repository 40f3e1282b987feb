// A local file or folder, with all that is in it, into a remote path. Links in folders are not followed, and like
// devices passed over, as OpenSSH's sftp does.
#pragma once

#include <deque>
#include <unordered_map>

#include "sftp/tree_task.h"

namespace plumb::sftp {

class TreePut final : public TreeTask {
 public:
  /// `client`, `files` and `observer` must outlive it. The client must be ready.
  TreePut(Client& client, Files& files, std::string local, std::string remote, TreeOptions options,
          TreeObserver& observer);

 private:
  enum class Ask : uint8_t { kMake, kStat, kAttrs };
  struct Asked {
    Ask what;
    FolderRef folder;
    std::string cause;  // of kStat: why it could not be made
  };

  struct Reading {
    FolderRef folder;
    std::unique_ptr<Directory> entries;  // once it is begun
  };

  void advance(Time now) override;
  bool on_own_reply(const Reply& reply) override;
  bool idle() const override;
  void complete(Folder& folder) override;
  void drop_rest() override;

  void begin(Time now);
  void walk(Time now);
  void found(const FolderRef& folder, const DirectoryEntry& entry, Time now);
  void start_file(const std::string& local, const std::string& remote, FolderRef folder, Time now);
  void ask(Ask what, FolderRef folder, const Result<RequestId>& asked, std::string cause = {});

  std::string local_, remote_;
  bool begun_ = false;
  bool dropped_ = false;
  std::vector<FolderRef> to_make_;
  std::vector<FolderRef> to_finish_;  // whose attributes are still to be set
  std::deque<Reading> ready_;         // that exist there; the first one is read
  std::unordered_map<RequestId, Asked> asked_;
};

}  // namespace plumb::sftp
