// The extensions of RequestServer (OpenSSH PROTOCOL §4.3 to §4.11).
#include <array>

#include "core/check.h"
#include "sftp/packet_splitter.h"
#include "sftp/request_server.h"
#include "sftp/text_check.h"

namespace plumb::sftp {
namespace {

/// Of users and of groups in one request. Each may cost a look into the system's list.
constexpr size_t kMaxIds = 4096;

/// The names of numbers, as a list.
template <class Name>
Result<std::vector<uint8_t>> names_of(Bytes numbers, Name name) {
  const Result<ListOf<IdNumber>> ids = parse_fields<ListOf<IdNumber>>(numbers);
  if (!ids) return tl::unexpected(ids.error());
  if (ids->items.size() > kMaxIds) return fail(ErrorCode::kLimit, "names of too many users at once");
  std::vector<uint8_t> list;
  Writer writer(list);
  for (const IdNumber& id : ids->items) writer.text(name(id.value));
  return list;
}

}  // namespace

struct RequestServer::ExtensionHandler {
  Extension id;
  void (*serve)(RequestServer&, uint32_t id, Bytes body);
};

template <class B, void (RequestServer::*kServe)(uint32_t, const B&)>
void RequestServer::call_extension(RequestServer& self, uint32_t id, Bytes body) {
  const Result<B> fields = parse_fields<B>(body);
  if (!fields || !texts_are_clean(*fields)) return self.reply_status(id, StatusCode::kBadMessage);
  (self.*kServe)(id, *fields);
}

void RequestServer::extended(const Extended& m) {
  static constexpr ExtensionHandler kHandlers[] = {
      {Extension::kPosixRename, &call_extension<TwoPaths, &RequestServer::posix_rename>},
      {Extension::kStatvfs, &call_extension<OnePath, &RequestServer::statvfs>},
      {Extension::kFstatvfs, &call_extension<OneHandle, &RequestServer::fstatvfs>},
      {Extension::kHardlink, &call_extension<TwoPaths, &RequestServer::hardlink>},
      {Extension::kFsync, &call_extension<OneHandle, &RequestServer::fsync>},
      {Extension::kLsetstat, &call_extension<PathAttrs, &RequestServer::lsetstat>},
      {Extension::kLimits, &call_extension<NoFields, &RequestServer::limits>},
      {Extension::kExpandPath, &call_extension<OnePath, &RequestServer::expand_path>},
      {Extension::kCopyData, &call_extension<CopyData, &RequestServer::copy_data>},
      {Extension::kHomeDirectory, &call_extension<OnePath, &RequestServer::home_directory>},
      {Extension::kUsersGroupsById, &call_extension<UsersAndGroups, &RequestServer::users_groups_by_id>},
  };
  const std::optional<Extension> extension = find_extension(m.name);
  if (!extension) return reply_status(m.id, StatusCode::kOpUnsupported);
  if (options_.read_only && spec_of(*extension).writes) return reply_status(m.id, StatusCode::kPermissionDenied);
  for (const ExtensionHandler& handler : kHandlers) {
    if (handler.id == *extension) return handler.serve(*this, m.id, m.rest);
  }
  PLUMB_CHECK(!"an extension of the table without a handler");
}

void RequestServer::reply_statvfs(uint32_t id, const Result<StatvfsReply>& numbers) {
  if (!numbers) return reply_status(id, status_of(numbers.error()));
  std::vector<uint8_t> body;
  append_fields(*numbers, body);
  send(ExtendedReply{.id = id, .rest = body});
}

void RequestServer::posix_rename(uint32_t id, const TwoPaths& m) { reply(id, files_.replace(m.from, m.to)); }

void RequestServer::hardlink(uint32_t id, const TwoPaths& m) { reply(id, files_.make_hard_link(m.from, m.to)); }

void RequestServer::statvfs(uint32_t id, const OnePath& m) { reply_statvfs(id, files_.statvfs(m.path)); }

void RequestServer::fstatvfs(uint32_t id, const OneHandle& m) {
  File* file = handles_.file(m.handle);
  if (file == nullptr) return reply_status(id, StatusCode::kFailure);
  reply_statvfs(id, file->statvfs());
}

void RequestServer::fsync(uint32_t id, const OneHandle& m) {
  File* file = handles_.file(m.handle);
  if (file == nullptr) return reply_status(id, StatusCode::kNoSuchFile);
  reply(id, file->sync());
}

void RequestServer::lsetstat(uint32_t id, const PathAttrs& m) { reply(id, files_.set_link_attrs(m.path, m.attrs)); }

void RequestServer::limits(uint32_t id, const NoFields&) {
  uint64_t handles = options_.max_handles;
  if (const uint64_t most = files_.max_open(); most != 0) handles = std::min(handles, most);
  std::vector<uint8_t> body;
  append_fields(LimitsReply{kMaxPacket, kMaxPayload, kMaxPayload, handles}, body);
  send(ExtendedReply{.id = id, .rest = body});
}

// `~` is where relative paths begin, `~name` the folder of a user (PROTOCOL §4.9).
void RequestServer::expand_path(uint32_t id, const OnePath& m) {
  if (!m.path.starts_with('~')) return reply_name(id, files_.real_path(m.path));
  const size_t slash = std::min(m.path.find('/'), m.path.size());
  const Result<std::string> home = files_.home(m.path.substr(1, slash - 1));
  if (!home) return reply_status(id, status_of(home.error()));
  reply_name(id, files_.real_path(*home + std::string(m.path.substr(slash))));
}

void RequestServer::copy_data(uint32_t id, const CopyData& m) {
  File* from = handles_.file(m.from);
  File* to = handles_.file(m.to);
  // A file onto itself has no sensible meaning; OpenSSH refuses it too.
  if (from == nullptr || to == nullptr || from == to) return reply_status(id, StatusCode::kFailure);
  copy_ = CopyJob{.id = id,
                  .from = from,
                  .from_offset = m.from_offset,
                  .left = m.length,
                  .to_end = m.length == 0,
                  .to = to,
                  .to_offset = m.to_offset};
}

void RequestServer::home_directory(uint32_t id, const OnePath& m) {
  const Result<std::string> home = files_.home(m.path);
  if (!home) return reply_status(id, StatusCode::kFailure);
  reply_name(id, files_.real_path(*home));
}

void RequestServer::users_groups_by_id(uint32_t id, const UsersAndGroups& m) {
  const auto users = names_of(m.users, [this](uint32_t uid) { return files_.user_name(uid); });
  const auto groups = names_of(m.groups, [this](uint32_t gid) { return files_.group_name(gid); });
  if (!users || !groups) return reply_status(id, StatusCode::kBadMessage);
  std::vector<uint8_t> body;
  append_fields(UsersAndGroups{*users, *groups}, body);
  if (body.size() > kMaxPayload) return reply_status(id, StatusCode::kFailure);
  send(ExtendedReply{.id = id, .rest = body});
}

}  // namespace plumb::sftp
