// Where private servers keep their keys, configurations and logs: one folder per process under $TMPDIR or /tmp, named
// `plumb-<pid>-XXXXXX`; and what benches keep in memory.
//
// It goes away when the process ends, however it ends: a guardian (a shell that waits for the end of a pipe that only
// this process holds open) removes it even after SIGKILL, and folders whose guardian was killed as well (a container
// that stopped) are removed by the next process that starts here.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <tl/expected.hpp>

namespace plumb {

/// This process's folder, made at the first call; mode 0700. The error is a sentence for people.
tl::expected<std::filesystem::path, std::string> scratch_folder();

/// Another folder of this process, in `parent`, under the same guard; new at each call.
tl::expected<std::filesystem::path, std::string> scratch_folder_in(const std::filesystem::path& parent);

/// A new folder `NAME-<n>` inside it. Remove it when it is done with; the process's end removes it anyway.
tl::expected<std::filesystem::path, std::string> make_scratch_folder(const std::string& name);

/// The whole file; empty if it cannot be read.
std::string text_of(const std::filesystem::path& path);

/// Writes a file that only its owner may read. The error is a sentence for people.
tl::expected<void, std::string> write_private_file(const std::filesystem::path& path, std::string_view text);

}  // namespace plumb
