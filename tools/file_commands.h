// THE table of file commands: each is `plumb NAME [user@]host:PATH…` and a line of a batch, in sftp's words.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "tools/file_shell.h"

namespace plumb {

/// Flags that were given, by letter.
struct FileFlags {
  std::string letters;
  bool has(char letter) const { return letters.find(letter) != std::string::npos; }
};

using Words = std::vector<std::string>;

/// Which words are paths of the other side.
enum class RemoteWords : uint8_t {
  kNone,
  kAll,
  kAllButLast,   ///< get: the last one is here
  kLast,         ///< put: the others are here
  kAllButFirst,  ///< chmod: the first one is no path
};

struct FileFlag {
  char letter;
  const char* name;  ///< "--resume", or null
  const char* what;
};

struct FileCommand {
  const char* name;
  const char* other_name;  ///< in a batch; or null
  const char* arguments;   ///< "PATH..."
  const char* what;
  std::vector<FileFlag> flags;
  size_t least, most;  ///< words
  RemoteWords remote;
  bool batch_only;  ///< it makes no sense as a program's only command
  Checked<void> (*run)(FileShell& shell, const FileFlags& flags, const Words& words);
};

std::span<const FileCommand> file_commands();

/// By either name; null if there is none.
const FileCommand* find_file_command(std::string_view name);

/// Whether the words are as many as the command takes. The error is a usage mistake.
Checked<void> check_words(const FileCommand& command, size_t count);

}  // namespace plumb
