// The server's answers to single requests, all but the payloads of READ and WRITE (server.h). Semantics and status
// codes are those of OpenSSH's sftp-server.
#pragma once

#include <optional>
#include <utility>

#include "core/check.h"
#include "sftp/files.h"
#include "sftp/handle_table.h"
#include "sftp/messages.h"
#include "sftp/out_queue.h"

namespace plumb::sftp {

struct ServerOptions {
  bool read_only = false;     ///< whatever would change something is refused
  size_t max_handles = 1024;  ///< open at once; more are refused
  bool link_first = false;    ///< the arguments of SYMLINK come in the order of the draft, not in OpenSSH's
};

/// A copy-data under way.
struct CopyJob {
  uint32_t id;
  File* from;
  uint64_t from_offset;
  uint64_t left;
  bool to_end;
  File* to;
  uint64_t to_offset;
  uint64_t copied = 0;
};

class RequestServer {
 public:
  /// `files` and `replies` must outlive it; a reply is at most kMaxPacket long, and `replies` has room for one.
  RequestServer(Files& files, ServerOptions options, OutQueue& replies)
      : files_(files), options_(options), handles_(options.max_handles), replies_(replies) {}

  /// Answers INIT.
  Result<void> greet(Bytes packet);

  /// Answers any other request, or begins a copy. An error if there is no request number to answer to.
  Result<void> serve(Bytes packet);

  void reply_status(uint32_t id, StatusCode code);
  void reply(uint32_t id, const Result<void>& result);

  File* file(Bytes handle) { return handles_.file(handle); }
  bool read_only() const { return options_.read_only; }
  std::optional<CopyJob> take_copy() { return std::exchange(copy_, std::nullopt); }

 private:
  struct Spec;
  struct ExtensionHandler;
  template <class M, void (RequestServer::*kServe)(const M&)>
  static void call(RequestServer& self, uint32_t id, Bytes packet);
  template <class B, void (RequestServer::*kServe)(uint32_t, const B&)>
  static void call_extension(RequestServer& self, uint32_t id, Bytes body);

  template <class M>
  void send(const M& message);
  void reply_attrs(uint32_t id, const Result<Attrs>& attrs);
  void reply_name(uint32_t id, const Result<std::string>& name);
  void reply_statvfs(uint32_t id, const Result<StatvfsReply>& numbers);

  void open(const Open& m);
  void close(const Close& m);
  void lstat(const Lstat& m);
  void fstat(const Fstat& m);
  void setstat(const Setstat& m);
  void fsetstat(const Fsetstat& m);
  void opendir(const Opendir& m);
  void readdir(const Readdir& m);
  void remove(const Remove& m);
  void mkdir(const Mkdir& m);
  void rmdir(const Rmdir& m);
  void realpath(const Realpath& m);
  void stat(const Stat& m);
  void rename(const Rename& m);
  void readlink(const Readlink& m);
  void symlink(const Symlink& m);
  void extended(const Extended& m);

  void posix_rename(uint32_t id, const TwoPaths& m);
  void statvfs(uint32_t id, const OnePath& m);
  void fstatvfs(uint32_t id, const OneHandle& m);
  void hardlink(uint32_t id, const TwoPaths& m);
  void fsync(uint32_t id, const OneHandle& m);
  void lsetstat(uint32_t id, const PathAttrs& m);
  void limits(uint32_t id, const NoFields& m);
  void expand_path(uint32_t id, const OnePath& m);
  void copy_data(uint32_t id, const CopyData& m);
  void home_directory(uint32_t id, const OnePath& m);
  void users_groups_by_id(uint32_t id, const UsersAndGroups& m);

  Files& files_;
  ServerOptions options_;
  HandleTable handles_;
  OutQueue& replies_;
  std::optional<CopyJob> copy_;
};

template <class M>
void RequestServer::send(const M& message) {
  const bool fits = replies_.put(message);
  PLUMB_CHECK(fits);
}

}  // namespace plumb::sftp
