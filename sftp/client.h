// An SFTP client without I/O: requests in, bytes for the server out, replies in any order.
//
//   Client client;                               // says its version in the first output
//   id = client.open("/etc/motd", kOpenRead);    // once `ready`
//   n = client.output(space);
//   while (auto reply = client.next(bytes)) …    // takes bytes off the front until a reply is told
//
// limits@openssh.com is asked for by itself as soon as the server's version came; until the answer does, the limits are
// those of the draft.
#pragma once

#include <optional>
#include <span>
#include <unordered_map>

#include "sftp/client_reply.h"
#include "sftp/limits.h"
#include "sftp/out_queue.h"
#include "sftp/packet_splitter.h"

namespace plumb::sftp {

struct ClientOptions {
  size_t max_in_flight = 1024;  ///< requests without a reply; more are refused with kLimit
};

class Client {
 public:
  explicit Client(ClientOptions options = {});

  /// The server's version came: requests may be made. Before, they abort.
  bool ready() const { return ready_; }

  /// From now on SYMLINK has its arguments in the order of the draft, not in OpenSSH's.
  void put_link_first() { link_first_ = true; }

  bool supports(Extension extension) const { return supported_[static_cast<size_t>(extension)]; }
  const Limits& limits() const { return limits_; }
  size_t in_flight() const { return pending_.size(); }
  bool has_room() const { return pending_.size() < options_.max_in_flight && queue_.size() < kQueueMark; }

  /// Takes bytes off the front of `in`; nullopt if all were taken. An error is the server's breach of the protocol and
  /// stands for good: a reply to nothing, one that the request does not allow, bad lengths, another version.
  Result<std::optional<Reply>> next(Bytes& in);

  /// Moves what is to be sent to the front of `space`; how many bytes.
  size_t output(MutBytes space) { return queue_.take(space); }
  bool wants_output() const { return !queue_.empty(); }

  // Requests. kLimit if there is no room or a path does not fit into a packet, kUsage for a path with a NUL,
  // kUnsupported if the server does not have the extension.
  Result<RequestId> open(std::string_view path, uint32_t pflags, const Attrs& attrs = {});
  Result<RequestId> close(const FileHandle& handle);
  Result<RequestId> close(const DirectoryHandle& handle);
  Result<RequestId> read(const FileHandle& handle, uint64_t offset, uint32_t length);  ///< 1 … limits().max_read
  Result<RequestId> stat(std::string_view path);
  Result<RequestId> link_stat(std::string_view path);
  Result<RequestId> stat(const FileHandle& handle);
  Result<RequestId> set_attrs(std::string_view path, const Attrs& attrs);
  Result<RequestId> set_attrs(const FileHandle& handle, const Attrs& attrs);
  Result<RequestId> open_directory(std::string_view path);
  Result<RequestId> read_directory(const DirectoryHandle& handle);
  Result<RequestId> remove(std::string_view path);
  Result<RequestId> make_directory(std::string_view path, const Attrs& attrs = {});
  Result<RequestId> remove_directory(std::string_view path);
  Result<RequestId> real_path(std::string_view path);
  Result<RequestId> rename(std::string_view from, std::string_view to);
  Result<RequestId> read_link(std::string_view path);
  Result<RequestId> make_link(std::string_view target, std::string_view link);
  Result<RequestId> replace(std::string_view from, std::string_view to);
  Result<RequestId> make_hard_link(std::string_view existing, std::string_view link);
  Result<RequestId> set_link_attrs(std::string_view path, const Attrs& attrs);
  Result<RequestId> sync(const FileHandle& handle);
  Result<RequestId> statvfs(std::string_view path);
  Result<RequestId> statvfs(const FileHandle& handle);
  Result<RequestId> expand_path(std::string_view path);
  Result<RequestId> home_directory(std::string_view user);

  /// `length` 0 copies up to the end.
  Result<RequestId> copy(const FileHandle& from, uint64_t from_offset, uint64_t length, const FileHandle& to,
                         uint64_t to_offset);
  Result<RequestId> account_names(std::span<const uint32_t> users, std::span<const uint32_t> groups);

  /// How long a WRITE's payload may be.
  uint32_t max_write(const FileHandle& handle) const;

  /// A WRITE whose payload the caller puts where it will leave: fill `first` of the packet, then `second`, and
  /// `commit_write`. Only while `wants_output` is false; see PayloadPacket. Nothing is sent without the commit.
  Result<PayloadPacket> begin_write(MutBytes space, const FileHandle& handle, uint64_t offset, uint32_t length);
  struct Written {
    RequestId id;
    size_t used;  ///< bytes of the space
  };
  Written commit_write(PayloadPacket& packet, size_t length);

 private:
  enum class Expect : uint8_t { kStatus, kFile, kDirectory, kData, kNames, kAttrs, kStatvfs, kLimits, kAccounts };
  struct Pending {
    Expect expect;
    uint64_t offset = 0;  // of a read
    uint32_t length = 0;
  };
  static constexpr size_t kQueueMark = 512 * 1024;

  RequestId take_id();
  template <class M>
  Result<RequestId> send(M message, Pending pending);
  template <class B>
  Result<RequestId> send_extended(Extension extension, const B& body, Expect expect);
  Result<void> check_room() const;

  Result<void> on_version(Bytes packet);
  Result<std::optional<Reply>> on_packet(const Piece& piece);
  Result<std::optional<Reply>> on_expected(uint32_t id, const Pending& pending, Bytes packet);
  Result<std::optional<Reply>> on_extended(uint32_t id, Expect expect, Bytes body);
  void send_limits();

  ClientOptions options_;
  OutQueue queue_;
  PacketSplitter splitter_{PacketSplitter::Payload::kOfData};
  std::unordered_map<RequestId, Pending> pending_;
  RequestId next_id_ = 1;
  RequestId write_id_ = 0;
  bool ready_ = false;
  bool link_first_ = false;
  std::vector<bool> supported_;
  Limits limits_;
  Reply data_;  // the DATA that is coming in
  std::optional<Error> broken_;
};

}  // namespace plumb::sftp
