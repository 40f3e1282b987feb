// What a client is told: one reply to one of its requests, already of the kind that the request allows.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "sftp/extensions.h"
#include "sftp/messages.h"

namespace plumb::sftp {

using RequestId = uint32_t;

/// A server's name for an open file, and one for an open folder: never to be taken for each other.
struct FileHandle {
  std::string bytes;
};
struct DirectoryHandle {
  std::string bytes;
};

namespace reply {

/// Done, or refused. Also the end of a file or of a listing (kEof).
struct Status {
  StatusCode code = StatusCode::kOk;
  std::string_view message;  ///< in the server's words, perhaps none; print as untrusted
};
struct FileOpened {
  FileHandle handle;
};
struct DirectoryOpened {
  DirectoryHandle handle;
};

/// A part of what READ asked for, in order, as it comes. Fewer bytes in all than asked for mean no more than that.
struct Data {
  uint64_t offset = 0;  ///< of these bytes in the file
  Bytes bytes;
  bool last = false;  ///< of this reply
};
struct Names {
  std::vector<NameEntry> entries;
};
struct Attributes {
  Attrs attrs;
};
struct FileSystem {
  StatvfsReply numbers;
};

/// In the order asked for; empty where the server knows no name.
struct AccountNames {
  std::vector<std::string_view> users, groups;
};

}  // namespace reply

/// Views live as long as the input that it came from, and until the next call of the client.
struct Reply {
  RequestId id = 0;
  std::variant<reply::Status, reply::FileOpened, reply::DirectoryOpened, reply::Data, reply::Names, reply::Attributes,
               reply::FileSystem, reply::AccountNames>
      what;
};

}  // namespace plumb::sftp
