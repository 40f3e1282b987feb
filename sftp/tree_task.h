// What copies of whole trees have in common: files in flight, folders that are complete once all in them is, and who is
// told of it.
//
// Many small files share the way: so many are in flight that no round trip is waited for, unless large ones fill it.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "sftp/background.h"
#include "sftp/file_task.h"
#include "sftp/files.h"

namespace plumb::sftp {

struct TreeOptions {
  bool recursive = false;  ///< folders too; without it they are failures
  bool resume = false;     ///< files that are there in part are gone on with
  bool preserve = false;   ///< mode and times
  uint64_t max_in_flight = kMaxFlight;
  size_t max_files = 256;            ///< in flight; half of what the server lets be open at most
  Background* background = nullptr;  ///< for a slow disk; must outlive the task
};

/// Told as it happens. Paths are those of the source, and may hold anything: print as untrusted.
class TreeObserver {
 public:
  virtual ~TreeObserver() = default;
  virtual void on_file(const FileTask& file) = 0;                                  ///< over: done or failed
  virtual void on_cut_off(const FileTask& file) = 0;                               ///< given up with the whole tree
  virtual void on_failed(const std::string& path, const std::string& cause) = 0;   ///< not a file, or none that begins
  virtual void on_skipped(const std::string& path, const std::string& cause) = 0;  ///< as is usual: links, devices
};

struct TreeProgress {
  uint64_t files = 0;  ///< done
  uint64_t failures = 0;
  uint64_t bytes = 0;     ///< moved
  uint64_t known = 0;     ///< bytes that are to be moved, of all files begun so far
  std::string current{};  ///< a file that is under way
};

class TreeTask : public Task {
 public:
  void run(Time now) final;
  bool on_reply(const Reply& reply, Time now) final;
  size_t output(MutBytes space, Time now) final;
  void abandon(const Error& error) final;
  bool finished() const final { return finished_; }

  TreeProgress progress() const;

 protected:
  struct Folder {
    std::string source, target;
    Attrs attrs;  // of the source
    std::shared_ptr<Folder> parent;
    unsigned depth = 0;
    bool there = false;  // in the target
    size_t left = 1;     // that keeps it from being complete: itself while it is read, and what is in it
  };
  using FolderRef = std::shared_ptr<Folder>;

  TreeTask(Client& client, Files& files, TreeOptions options, TreeObserver& observer)
      : client_(client), files_(files), options_(options), observer_(observer) {}

  /// Begins what may be begun now.
  virtual void advance(Time now) = 0;

  /// A reply to a request that is no file's. False if it is not one.
  virtual bool on_own_reply(const Reply& reply) = 0;

  /// Nothing of its own is waited for, nothing is left to begin.
  virtual bool idle() const = 0;

  /// All in a folder that is there is over.
  virtual void complete(Folder& folder) = 0;

  /// What was not begun is forgotten.
  virtual void drop_rest() = 0;

  bool has_room() const;
  void start(std::unique_ptr<FileTask> task, FolderRef folder, Time now);

  FolderRef enter(std::string source, std::string target, Attrs attrs, FolderRef parent);
  void leave(FolderRef folder);

  void failed(const std::string& path, const std::string& cause);
  void skipped(const std::string& path, const std::string& cause) { observer_.on_skipped(path, cause); }

  Client& client_;
  Files& files_;
  TreeOptions options_;
  TreeObserver& observer_;

 private:
  struct Active {
    std::unique_ptr<FileTask> task;
    FolderRef folder;
  };
  void settle(Time now);
  void reap();
  uint64_t bytes_to_come() const;

  std::vector<Active> active_;
  TreeProgress over_;  // of files that are
  bool abandoned_ = false;
  bool finished_ = false;
};

/// OpenSSH's: deeper folders are refused.
inline constexpr unsigned kMaxDepth = 64;

}  // namespace plumb::sftp
