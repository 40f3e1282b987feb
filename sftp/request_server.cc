#include "sftp/request_server.h"

#include <cerrno>

#include "core/check.h"
#include "sftp/packet_splitter.h"
#include "sftp/text_check.h"

namespace plumb::sftp {
namespace {

// A READDIR's reply: as many entries as OpenSSH puts into one, and no longer than the packets that every implementation
// of the draft takes (34,000 bytes, §3).
constexpr size_t kMaxEntries = 100;
constexpr size_t kMaxNames = 32 * 1024;

/// What an entry takes in the reply, at most.
size_t size_of(const DirectoryEntry& entry) { return entry.name.size() + entry.long_name.size() + 48; }

}  // namespace

struct RequestServer::Spec {
  uint8_t number;
  bool writes;  // refused by a server that only reads
  void (*serve)(RequestServer&, uint32_t id, Bytes packet);
};

template <class M, void (RequestServer::*kServe)(const M&)>
void RequestServer::call(RequestServer& self, uint32_t id, Bytes packet) {
  const Result<M> message = parse<M>(packet);
  if (!message || !texts_are_clean(*message)) return self.reply_status(id, StatusCode::kBadMessage);
  (self.*kServe)(*message);
}

Result<void> RequestServer::greet(Bytes packet) {
  const Result<Init> init = parse<Init>(packet);
  if (!init) return tl::unexpected(init.error());
  Version version;
  for (const ExtensionSpec& spec : extensions()) version.extensions.push_back({spec.name, spec.version});
  send(version);
  return {};
}

Result<void> RequestServer::serve(Bytes packet) {
  static constexpr Spec kRequests[] = {
      {Open::kId, false, &call<Open, &RequestServer::open>},  // looks at its flags
      {Close::kId, false, &call<Close, &RequestServer::close>},
      {Lstat::kId, false, &call<Lstat, &RequestServer::lstat>},
      {Fstat::kId, false, &call<Fstat, &RequestServer::fstat>},
      {Setstat::kId, true, &call<Setstat, &RequestServer::setstat>},
      {Fsetstat::kId, true, &call<Fsetstat, &RequestServer::fsetstat>},
      {Opendir::kId, false, &call<Opendir, &RequestServer::opendir>},
      {Readdir::kId, false, &call<Readdir, &RequestServer::readdir>},
      {Remove::kId, true, &call<Remove, &RequestServer::remove>},
      {Mkdir::kId, true, &call<Mkdir, &RequestServer::mkdir>},
      {Rmdir::kId, true, &call<Rmdir, &RequestServer::rmdir>},
      {Realpath::kId, false, &call<Realpath, &RequestServer::realpath>},
      {Stat::kId, false, &call<Stat, &RequestServer::stat>},
      {Rename::kId, true, &call<Rename, &RequestServer::rename>},
      {Readlink::kId, false, &call<Readlink, &RequestServer::readlink>},
      {Symlink::kId, true, &call<Symlink, &RequestServer::symlink>},
      {Extended::kId, false, &call<Extended, &RequestServer::extended>},  // has a table of its own
  };
  if (packet.size() < 5) return fail(ErrorCode::kProtocol, "the client sent an SFTP request without a number");
  const uint32_t id = load_be32(packet.data() + 1);
  if (packet[0] == Read::kId || packet[0] == Write::kId) {  // whole ones do not come here
    reply_status(id, StatusCode::kBadMessage);
    return {};
  }
  for (const Spec& spec : kRequests) {
    if (spec.number != packet[0]) continue;
    if (spec.writes && options_.read_only)
      reply_status(id, StatusCode::kPermissionDenied);
    else
      spec.serve(*this, id, packet);
    return {};
  }
  reply_status(id, StatusCode::kOpUnsupported);
  return {};
}

void RequestServer::reply_status(uint32_t id, StatusCode code) {
  send(Status{.id = id, .code = static_cast<uint32_t>(code), .message = status_text(code), .language = {}});
}

void RequestServer::reply(uint32_t id, const Result<void>& result) {
  reply_status(id, result ? StatusCode::kOk : status_of(result.error()));
}

void RequestServer::reply_attrs(uint32_t id, const Result<Attrs>& attrs) {
  if (!attrs) return reply_status(id, status_of(attrs.error()));
  send(AttrsReply{.id = id, .attrs = *attrs});
}

void RequestServer::reply_name(uint32_t id, const Result<std::string>& name) {
  if (!name) return reply_status(id, status_of(name.error()));
  send(NameReply{.id = id, .entries = {{*name, *name, {}}}});
}

void RequestServer::open(const Open& m) {
  constexpr uint32_t kWriting = kOpenWrite | kOpenAppend | kOpenCreate | kOpenTruncate;
  if (options_.read_only && (m.pflags & kWriting) != 0) return reply_status(m.id, StatusCode::kPermissionDenied);
  if (handles_.full()) return reply_status(m.id, StatusCode::kFailure);
  Result<std::unique_ptr<File>> file = files_.open(m.path, m.pflags, m.attrs);
  if (!file) return reply_status(m.id, status_of(file.error()));
  const HandleTable::Handle handle = handles_.add(*std::move(file));
  send(HandleReply{{m.id, handle}});
}

void RequestServer::close(const Close& m) { reply(m.id, handles_.close(m.handle)); }

void RequestServer::lstat(const Lstat& m) { reply_attrs(m.id, files_.link_stat(m.path)); }

void RequestServer::stat(const Stat& m) { reply_attrs(m.id, files_.stat(m.path)); }

void RequestServer::fstat(const Fstat& m) {
  File* file = handles_.file(m.handle);
  if (file == nullptr) return reply_status(m.id, StatusCode::kFailure);
  reply_attrs(m.id, file->stat());
}

void RequestServer::setstat(const Setstat& m) { reply(m.id, files_.set_attrs(m.path, m.attrs)); }

void RequestServer::fsetstat(const Fsetstat& m) {
  File* file = handles_.file(m.handle);
  if (file == nullptr) return reply_status(m.id, StatusCode::kFailure);
  reply(m.id, file->set_attrs(m.attrs));
}

void RequestServer::opendir(const Opendir& m) {
  if (handles_.full()) return reply_status(m.id, StatusCode::kFailure);
  Result<std::unique_ptr<Directory>> directory = files_.open_directory(m.path);
  if (!directory) return reply_status(m.id, status_of(directory.error()));
  const HandleTable::Handle handle = handles_.add(*std::move(directory));
  send(HandleReply{{m.id, handle}});
}

void RequestServer::readdir(const Readdir& m) {
  OpenDirectory* open = handles_.directory(m.handle);
  if (open == nullptr) return reply_status(m.id, StatusCode::kFailure);
  std::vector<DirectoryEntry> entries;
  for (size_t size = 0; entries.size() < kMaxEntries;) {
    Result<std::optional<DirectoryEntry>> entry = std::exchange(open->kept, std::nullopt);
    if (!*entry) entry = open->directory->next();
    if (!entry && entries.empty()) return reply_status(m.id, status_of(entry.error()));
    if (!entry || !*entry) break;
    size += size_of(**entry);
    if (size > kMaxNames && !entries.empty()) {
      open->kept = *std::move(entry);
      break;
    }
    entries.push_back(**std::move(entry));
  }
  if (entries.empty()) return reply_status(m.id, StatusCode::kEof);
  NameReply names{.id = m.id};
  for (const DirectoryEntry& entry : entries) names.entries.push_back({entry.name, entry.long_name, entry.attrs});
  send(names);
}

void RequestServer::remove(const Remove& m) { reply(m.id, files_.remove(m.path)); }

void RequestServer::mkdir(const Mkdir& m) {
  const uint32_t mode = m.attrs.has(kHasPermissions) ? m.attrs.permissions & kModeMask : 0777;
  reply(m.id, files_.make_directory(m.path, mode));
}

void RequestServer::rmdir(const Rmdir& m) { reply(m.id, files_.remove_directory(m.path)); }

void RequestServer::realpath(const Realpath& m) { reply_name(m.id, files_.real_path(m.path)); }

void RequestServer::rename(const Rename& m) { reply(m.id, files_.rename(m.from, m.to)); }

void RequestServer::readlink(const Readlink& m) { reply_name(m.id, files_.read_link(m.path)); }

void RequestServer::symlink(const Symlink& m) {
  reply(m.id, options_.link_first ? files_.make_link(m.link, m.target) : files_.make_link(m.target, m.link));
}

}  // namespace plumb::sftp
