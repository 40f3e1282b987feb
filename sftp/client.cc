// What comes in. The requests are in client_requests.cc.
#include "sftp/client.h"

#include "core/check.h"

namespace plumb::sftp {
namespace {

constexpr const char* kWrongKind = "the server answered an SFTP request with a reply that does not belong to it";

tl::unexpected<Error> wrong_kind() { return fail(ErrorCode::kProtocol, kWrongKind); }

/// Old servers leave the text out (draft-ietf-secsh-filexfer-02 has it, 00 and 01 had not).
struct BareStatus {
  static constexpr uint8_t kId = Status::kId;
  uint32_t id = 0;
  uint32_t code = 0;
  template <class Self, class Visitor>
  static void fields(Self& m, Visitor& v) {
    v.u32("id", m.id);
    v.u32("code", m.code);
  }
};

Result<reply::Status> to_status(Bytes packet) {
  if (const Result<Status> status = parse<Status>(packet))
    return reply::Status{static_cast<StatusCode>(status->code), status->message};
  const Result<BareStatus> bare = parse<BareStatus>(packet);
  if (!bare) return tl::unexpected(bare.error());
  return reply::Status{static_cast<StatusCode>(bare->code), {}};
}

Result<std::vector<std::string_view>> to_names(Bytes list) {
  const Result<ListOf<IdName>> names = parse_fields<ListOf<IdName>>(list);
  if (!names) return tl::unexpected(names.error());
  std::vector<std::string_view> texts;
  for (const IdName& name : names->items) texts.push_back(name.value);
  return texts;
}

}  // namespace

Client::Client(ClientOptions options)
    : options_(options), queue_(kQueueMark + kMaxPacket), supported_(extensions().size()) {
  const bool fits = queue_.put(Init{});
  PLUMB_CHECK(fits);
}

Result<std::optional<Reply>> Client::next(Bytes& in) {
  if (broken_) return tl::unexpected(*broken_);
  while (true) {
    const Result<std::optional<Piece>> piece = splitter_.next(in);
    if (piece && !*piece) return std::nullopt;
    Result<std::optional<Reply>> reply = piece ? on_packet(**piece) : tl::unexpected(piece.error());
    if (!reply) broken_ = reply.error();
    if (!reply || *reply) return reply;
  }
}

Result<std::optional<Reply>> Client::on_packet(const Piece& piece) {
  if (piece.packet.empty()) {
    auto& data = std::get<reply::Data>(data_.what);
    data.offset += data.bytes.size();
    data.bytes = piece.payload;
    data.last = piece.payload_left == 0;
    return data_;
  }
  if (!ready_) {
    const Result<void> agreed = on_version(piece.packet);
    if (!agreed) return tl::unexpected(agreed.error());
    return std::nullopt;
  }
  if (piece.packet.size() < 5) return fail(ErrorCode::kProtocol, "the server sent an SFTP reply without a number");
  const uint32_t id = load_be32(piece.packet.data() + 1);
  const auto found = pending_.find(id);
  if (found == pending_.end())
    return fail(ErrorCode::kProtocol, "the server answered an SFTP request that was not made");
  const Pending pending = found->second;
  pending_.erase(found);
  if (piece.has_payload) {
    if (pending.expect != Expect::kData) return wrong_kind();
    if (piece.payload_left == 0)
      return fail(ErrorCode::kProtocol, "the server answered a read with no data and no end of the file");
    if (piece.payload_left > pending.length)
      return fail(ErrorCode::kProtocol, "the server answered a read with more data than was asked for");
    data_ = Reply{id, reply::Data{.offset = pending.offset, .bytes = {}, .last = false}};
    return std::nullopt;
  }
  if (piece.packet[0] != Status::kId) return on_expected(id, pending, piece.packet);
  const Result<reply::Status> status = to_status(piece.packet);
  if (!status) return tl::unexpected(status.error());
  if (pending.expect == Expect::kLimits) return std::nullopt;  // the draft's limits stay
  if (pending.expect != Expect::kStatus && status->code == StatusCode::kOk) return wrong_kind();
  return Reply{id, *status};
}

Result<void> Client::on_version(Bytes packet) {
  const Result<Version> version = parse<Version>(packet);
  if (!version) return tl::unexpected(version.error());
  if (version->version != kVersion) return fail(ErrorCode::kUnsupported, "the server does not speak version 3 of SFTP");
  for (const NamePair& offered : version->extensions) {
    const std::optional<Extension> known = find_extension(offered.name);
    if (known && spec_of(*known).version == offered.data) supported_[static_cast<size_t>(*known)] = true;
  }
  ready_ = true;
  if (supports(Extension::kLimits)) send_limits();
  return {};
}

Result<std::optional<Reply>> Client::on_expected(uint32_t id, const Pending& pending, Bytes packet) {
  switch (packet[0]) {
    case HandleReply::kId: {
      const Result<HandleReply> m = parse<HandleReply>(packet);
      if (!m) return tl::unexpected(m.error());
      if (m->handle.size() > kMaxHandle)
        return fail(ErrorCode::kProtocol, "the server gave an SFTP handle longer than 256 bytes");
      std::string bytes(as_text(m->handle));
      if (pending.expect == Expect::kFile) return Reply{id, reply::FileOpened{{std::move(bytes)}}};
      if (pending.expect == Expect::kDirectory) return Reply{id, reply::DirectoryOpened{{std::move(bytes)}}};
      return wrong_kind();
    }
    case NameReply::kId: {
      Result<NameReply> m = parse<NameReply>(packet);
      if (!m) return tl::unexpected(m.error());
      if (pending.expect != Expect::kNames) return wrong_kind();
      return Reply{id, reply::Names{std::move(m->entries)}};
    }
    case AttrsReply::kId: {
      Result<AttrsReply> m = parse<AttrsReply>(packet);
      if (!m) return tl::unexpected(m.error());
      if (pending.expect != Expect::kAttrs) return wrong_kind();
      return Reply{id, reply::Attributes{std::move(m->attrs)}};
    }
    case ExtendedReply::kId: {
      const Result<ExtendedReply> m = parse<ExtendedReply>(packet);
      if (!m) return tl::unexpected(m.error());
      return on_extended(id, pending.expect, m->rest);
    }
    default: return wrong_kind();
  }
}

Result<std::optional<Reply>> Client::on_extended(uint32_t id, Expect expect, Bytes body) {
  if (expect == Expect::kLimits) {
    const Result<LimitsReply> m = parse_fields<LimitsReply>(body);
    if (!m) return tl::unexpected(m.error());
    limits_ = to_limits(*m);
    return std::nullopt;
  }
  if (expect == Expect::kStatvfs) {
    const Result<StatvfsReply> m = parse_fields<StatvfsReply>(body);
    if (!m) return tl::unexpected(m.error());
    return Reply{id, reply::FileSystem{*m}};
  }
  if (expect != Expect::kAccounts) return wrong_kind();
  const Result<UsersAndGroups> m = parse_fields<UsersAndGroups>(body);
  if (!m) return tl::unexpected(m.error());
  Result<std::vector<std::string_view>> users = to_names(m->users), groups = to_names(m->groups);
  if (!users) return tl::unexpected(users.error());
  if (!groups) return tl::unexpected(groups.error());
  return Reply{id, reply::AccountNames{*std::move(users), *std::move(groups)}};
}

}  // namespace plumb::sftp
