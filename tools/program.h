// What every program of the project shares, so that scripts meet one behaviour: exit codes, --version, JSON reports.
#pragma once

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "core/result.h"

namespace plumb {

/// Exit codes that scripts may rely on. `plumb exec` passes on the remote code instead, and `plumb` gives
/// `kConnectionError` where these give kPeer.
enum class ExitCode : int {
  kOk = 0,
  kCheckFailed = 1,  ///< a comparison, verdict or target was missed
  kUsage = 2,        ///< the command line is wrong
  kEnvironment = 3,  ///< something this program needs is missing here
  kPeer = 4,         ///< the peer or the network failed
};

/// `return exit_code(ExitCode::kUsage)` from main.
constexpr int exit_code(ExitCode code) { return static_cast<int>(code); }

/// The exit code of `plumb` for failures of the connection itself, as ssh's.
inline constexpr int kConnectionError = 255;

/// Says `sentence` on standard error, behind the program's name. Returns `code`, to leave with.
int complain(int code, std::string_view sentence);
inline int complain(ExitCode code, std::string_view sentence) { return complain(exit_code(code), sentence); }

/// Adds --version, and sets the footer with `examples` (lines of "  command   what it does").
void add_standard_options(CLI::App& app, const std::string& examples);

/// Parses the command line. Returns the exit code to leave with where the parse ended the program (0 after --help and
/// --version, 2 with one sentence on stderr after a mistake), and nullopt where it goes on.
std::optional<int> parse_command_line(CLI::App& app, int argc, char** argv);

/// Whether text for people may be coloured: `stream_fd` is a terminal and NO_COLOR is unset or empty.
bool use_color(int stream_fd);

/// Where the figures come from: program version, build type, compiler, CPU, its features and the kernels chosen,
/// operating system, libcrypto and libsodium versions, UTC time.
nlohmann::json environment_json();

/// Starts a report: {"schema": "plumb.<program>/<version>", "environment": {…}}.
nlohmann::json begin_report(std::string_view program, int version);

/// Writes `report` to the file, "-" being stdout. kSystem with the reason if that fails.
Result<void> write_json(const std::string& path, const nlohmann::json& report);

}  // namespace plumb
