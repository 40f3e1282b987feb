// What the programs have in common that ssh_bench runs for clients which are libraries: one program for each library,
// so that its processor time and its memory are those of a process.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <tl/expected.hpp>

namespace plumb {

/// One connection that does one thing.
struct ClientJob {
  enum class Task : uint8_t {
    kExec,  ///< `from` is a command: standard input goes to it, its output to standard output
    kGet,   ///< the remote file `from` to the local file `to`
    kPut,   ///< the local file `from` to the remote file `to`
  };

  std::string host, user;
  uint16_t port = 22;
  std::string key;          ///< a private key's file; empty: the library's own
  std::string known_hosts;  ///< empty: the user's
  std::string cipher;       ///< empty: what is negotiated
  std::optional<std::string> password;
  bool marks = false;  ///< `mark` writes

  Task task = Task::kExec;
  std::string from, to;
};

using ClientVerdict = tl::expected<void, std::string>;  ///< the error is a sentence

inline tl::unexpected<std::string> client_error(std::string sentence) { return tl::unexpected(std::move(sentence)); }

/// "bench: connected" on standard error, where the job asks for marks. bench/phases.cc waits for them.
void mark(const ClientJob& job, std::string_view reached);

/// All of `data` to a descriptor.
ClientVerdict write_all(int fd, const void* data, size_t size);

/// What is there to be read, at most `size`; 0 at the end.
tl::expected<size_t, std::string> read_some(int fd, void* space, size_t size);

}  // namespace plumb
