// What a client asks.
#include "core/check.h"
#include "sftp/client.h"
#include "sftp/text_check.h"

namespace plumb::sftp {
namespace {

template <class Handle>
Bytes wire(const Handle& handle) {
  return as_bytes(handle.bytes);
}

/// What the fields of a WRITE take, without its handle.
constexpr uint32_t kWriteFields = 1 + 4 + 4 + 8 + 4;

std::vector<uint8_t> to_list(std::span<const uint32_t> numbers) {
  std::vector<uint8_t> list;
  Writer writer(list);
  for (const uint32_t number : numbers) writer.u32(number);
  return list;
}

}  // namespace

RequestId Client::take_id() {
  while (pending_.contains(next_id_)) next_id_++;
  return next_id_++;
}

Result<void> Client::check_room() const {
  PLUMB_CHECK(ready_);
  if (broken_) return tl::unexpected(*broken_);
  if (!has_room()) return fail(ErrorCode::kLimit, "too many SFTP requests wait for a reply");
  return {};
}

template <class M>
Result<RequestId> Client::send(M message, Pending pending) {
  if (const Result<void> room = check_room(); !room) return tl::unexpected(room.error());
  if (!texts_are_clean(message)) return fail(ErrorCode::kUsage, "a path must not contain a NUL byte");
  message.id = take_id();
  std::vector<uint8_t> packet;
  append_packet(message, packet);
  if (packet.size() - 4 > limits_.max_packet) return fail(ErrorCode::kLimit, "a path is too long for the server");
  const bool fits = queue_.put_bytes(packet);
  PLUMB_CHECK(fits);
  pending_.emplace(message.id, pending);
  return message.id;
}

template <class B>
Result<RequestId> Client::send_extended(Extension extension, const B& body, Expect expect) {
  if (!supports(extension)) return fail(ErrorCode::kUnsupported, "the server does not have this extension of SFTP");
  if (!texts_are_clean(body)) return fail(ErrorCode::kUsage, "a path must not contain a NUL byte");
  std::vector<uint8_t> rest;
  append_fields(body, rest);
  return send(Extended{.name = spec_of(extension).name, .rest = rest}, {expect});
}

void Client::send_limits() {
  const Result<RequestId> asked = send_extended(Extension::kLimits, NoFields{}, Expect::kLimits);
  PLUMB_CHECK(asked.has_value());  // it is the first request
}

Result<RequestId> Client::open(std::string_view path, uint32_t pflags, const Attrs& attrs) {
  return send(Open{.path = path, .pflags = pflags, .attrs = attrs}, {Expect::kFile});
}
Result<RequestId> Client::close(const FileHandle& handle) { return send(Close{{0, wire(handle)}}, {Expect::kStatus}); }
Result<RequestId> Client::close(const DirectoryHandle& handle) {
  return send(Close{{0, wire(handle)}}, {Expect::kStatus});
}
Result<RequestId> Client::read(const FileHandle& handle, uint64_t offset, uint32_t length) {
  PLUMB_CHECK(length > 0 && length <= limits_.max_read);
  return send(Read{.handle = wire(handle), .offset = offset, .length = length}, {Expect::kData, offset, length});
}
Result<RequestId> Client::stat(std::string_view path) { return send(Stat{{0, path}}, {Expect::kAttrs}); }
Result<RequestId> Client::link_stat(std::string_view path) { return send(Lstat{{0, path}}, {Expect::kAttrs}); }
Result<RequestId> Client::stat(const FileHandle& handle) { return send(Fstat{{0, wire(handle)}}, {Expect::kAttrs}); }
Result<RequestId> Client::set_attrs(std::string_view path, const Attrs& attrs) {
  return send(Setstat{{0, path, attrs}}, {Expect::kStatus});
}
Result<RequestId> Client::set_attrs(const FileHandle& handle, const Attrs& attrs) {
  return send(Fsetstat{.handle = wire(handle), .attrs = attrs}, {Expect::kStatus});
}
Result<RequestId> Client::open_directory(std::string_view path) {
  return send(Opendir{{0, path}}, {Expect::kDirectory});
}
Result<RequestId> Client::read_directory(const DirectoryHandle& handle) {
  return send(Readdir{{0, wire(handle)}}, {Expect::kNames});
}
Result<RequestId> Client::remove(std::string_view path) { return send(Remove{{0, path}}, {Expect::kStatus}); }
Result<RequestId> Client::make_directory(std::string_view path, const Attrs& attrs) {
  return send(Mkdir{{0, path, attrs}}, {Expect::kStatus});
}
Result<RequestId> Client::remove_directory(std::string_view path) { return send(Rmdir{{0, path}}, {Expect::kStatus}); }
Result<RequestId> Client::real_path(std::string_view path) { return send(Realpath{{0, path}}, {Expect::kNames}); }
Result<RequestId> Client::rename(std::string_view from, std::string_view to) {
  return send(Rename{.from = from, .to = to}, {Expect::kStatus});
}
Result<RequestId> Client::read_link(std::string_view path) { return send(Readlink{{0, path}}, {Expect::kNames}); }
Result<RequestId> Client::make_link(std::string_view target, std::string_view link) {
  if (link_first_) std::swap(target, link);
  return send(Symlink{.target = target, .link = link}, {Expect::kStatus});
}
Result<RequestId> Client::replace(std::string_view from, std::string_view to) {
  return send_extended(Extension::kPosixRename, TwoPaths{from, to}, Expect::kStatus);
}
Result<RequestId> Client::make_hard_link(std::string_view existing, std::string_view link) {
  return send_extended(Extension::kHardlink, TwoPaths{existing, link}, Expect::kStatus);
}
Result<RequestId> Client::set_link_attrs(std::string_view path, const Attrs& attrs) {
  return send_extended(Extension::kLsetstat, PathAttrs{path, attrs}, Expect::kStatus);
}
Result<RequestId> Client::sync(const FileHandle& handle) {
  return send_extended(Extension::kFsync, OneHandle{wire(handle)}, Expect::kStatus);
}
Result<RequestId> Client::statvfs(std::string_view path) {
  return send_extended(Extension::kStatvfs, OnePath{path}, Expect::kStatvfs);
}
Result<RequestId> Client::statvfs(const FileHandle& handle) {
  return send_extended(Extension::kFstatvfs, OneHandle{wire(handle)}, Expect::kStatvfs);
}
Result<RequestId> Client::expand_path(std::string_view path) {
  return send_extended(Extension::kExpandPath, OnePath{path}, Expect::kNames);
}
Result<RequestId> Client::home_directory(std::string_view user) {
  return send_extended(Extension::kHomeDirectory, OnePath{user}, Expect::kNames);
}
Result<RequestId> Client::copy(const FileHandle& from, uint64_t from_offset, uint64_t length, const FileHandle& to,
                               uint64_t to_offset) {
  const CopyData body{wire(from), from_offset, length, wire(to), to_offset};
  return send_extended(Extension::kCopyData, body, Expect::kStatus);
}
Result<RequestId> Client::account_names(std::span<const uint32_t> users, std::span<const uint32_t> groups) {
  const std::vector<uint8_t> user_list = to_list(users), group_list = to_list(groups);
  return send_extended(Extension::kUsersGroupsById, UsersAndGroups{user_list, group_list}, Expect::kAccounts);
}

uint32_t Client::max_write(const FileHandle& handle) const {
  return std::min(limits_.max_write, limits_.max_packet - kWriteFields - static_cast<uint32_t>(handle.bytes.size()));
}

Result<PayloadPacket> Client::begin_write(MutBytes space, const FileHandle& handle, uint64_t offset, uint32_t length) {
  PLUMB_CHECK(length > 0 && length <= max_write(handle));
  if (const Result<void> room = check_room(); !room) return tl::unexpected(room.error());
  write_id_ = take_id();
  return PayloadPacket(queue_, space, Write{.id = write_id_, .handle = wire(handle), .offset = offset}, length);
}

Client::Written Client::commit_write(PayloadPacket& packet, size_t length) {
  PLUMB_CHECK(length > 0);
  pending_.emplace(write_id_, Pending{Expect::kStatus});
  return {write_id_, packet.commit(length)};
}

}  // namespace plumb::sftp
