#include "tools/program.h"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <openssl/crypto.h>
#include <sodium.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <fstream>

#include "ciphers/kernels.h"
#include "core/cpu.h"

namespace plumb {
namespace {

#ifdef __clang__
constexpr const char* kCompiler = __VERSION__;
#else
constexpr const char* kCompiler = "g++ " __VERSION__;
#endif

/// The CPU's own name, from /proc; empty where there is none.
std::string cpu_model() {
  std::ifstream info("/proc/cpuinfo");
  std::string line;
  while (std::getline(info, line)) {
    if (!line.starts_with("model name")) continue;
    const size_t colon = line.find(": ");
    return colon == std::string::npos ? std::string() : line.substr(colon + 2);
  }
  return {};
}

}  // namespace

int complain(int code, std::string_view sentence) {
  fmt::print(stderr, "{}: {}\n", program_invocation_short_name, sentence);
  return code;
}

void add_standard_options(CLI::App& app, const std::string& examples) {
  app.set_version_flag("--version", "plumbline " PLUMB_VERSION);
  app.footer("Examples:\n" + examples);
  app.get_formatter()->column_width(32);
}

std::optional<int> parse_command_line(CLI::App& app, int argc, char** argv) {
  try {
    app.parse(argc, argv);
    return std::nullopt;
  } catch (const CLI::ParseError& error) {
    const bool asked_for_text = error.get_exit_code() == static_cast<int>(CLI::ExitCodes::Success);
    if (asked_for_text) return app.exit(error);
    fmt::print(stderr, "{}: {}; see {} --help\n", app.get_name(), error.what(), app.get_name());
    return exit_code(ExitCode::kUsage);
  }
}

bool use_color(int stream_fd) {
  const char* no_color = std::getenv("NO_COLOR");
  return isatty(stream_fd) == 1 && (no_color == nullptr || *no_color == '\0');
}

nlohmann::json environment_json() {
  utsname os{};
  uname(&os);
  return {
      {"plumbline", PLUMB_VERSION},
      {"build_type", PLUMB_BUILD_TYPE},
      {"compiler", kCompiler},
      {"cpu", cpu_model()},
      {"cpus", sysconf(_SC_NPROCESSORS_ONLN)},
      {"cpu_features", to_string(host_cpu())},
      {"kernels", to_string(host_kernels())},
      {"os", fmt::format("{} {} {}", os.sysname, os.release, os.machine)},
      {"libcrypto", OpenSSL_version(OPENSSL_VERSION)},
      {"libsodium", sodium_version_string()},
      {"time_utc", fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr)))},
  };
}

nlohmann::json begin_report(std::string_view program, int version) {
  return {{"schema", fmt::format("plumb.{}/{}", program, version)}, {"environment", environment_json()}};
}

Result<void> write_json(const std::string& path, const nlohmann::json& report) {
  const std::string text = report.dump(2) + "\n";
  FILE* file = path == "-" ? stdout : std::fopen(path.c_str(), "w");
  if (file == nullptr) return fail(ErrorCode::kSystem, "the JSON file cannot be written", errno);
  const bool written = std::fwrite(text.data(), 1, text.size(), file) == text.size() && std::fflush(file) == 0;
  const int os_error = errno;
  if (file != stdout) std::fclose(file);
  if (!written) return fail(ErrorCode::kSystem, "the JSON file cannot be written", os_error);
  return {};
}

}  // namespace plumb
