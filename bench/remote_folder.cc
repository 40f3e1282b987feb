#include "bench/remote_folder.h"

#include <fmt/format.h>
#include <signal.h>
#include <sys/wait.h>

#include <chrono>
#include <thread>

#include "bench/child_process.h"
#include "interop/scratch_folder.h"

namespace plumb {
namespace {

/// Says where the folder is once all is in it, and ends with its input.
std::string keeper(const std::vector<uint64_t>& sizes) {
  std::string files = ": > zeros-0";
  for (const uint64_t size : sizes) files += fmt::format(" && truncate -s {0}M zeros-{0}", size);
  return fmt::format(
      "exec sh -c 'd=$(mktemp -d -p /dev/shm ssh_bench-XXXXXX 2>/dev/null || mktemp -d -t ssh_bench-XXXXXX) || exit 1; "
      "trap \"\" HUP PIPE; (cd \"$d\" && {} && pwd && cat); rm -rf -- \"$d\"'",
      files);
}

/// The first line that comes out of `reader`, or what came before its end.
std::string read_line(int reader) {
  std::string line;
  char c = 0;
  while (read(reader, &c, 1) == 1 && c != '\n') line += c;
  return line;
}

}  // namespace

tl::expected<std::unique_ptr<RemoteFolder>, std::string> RemoteFolder::make(const TransferPlace& place,
                                                                            const std::vector<uint64_t>& sizes,
                                                                            const std::filesystem::path& errors) {
  const Workload keep{"keep", ClientJob::Task::kExec, [](uint64_t) { return std::string(); }, false, false, nullptr};
  TransferPlace unhurried = place;
  unhurried.slow.clear();
  auto argv = transfer_clients().front().command(unhurried, std::string(kDefaults), keep, 0, false);
  if (!argv) return tl::unexpected(argv.error());
  argv->back() = keeper(sizes);

  if (const auto made = write_private_file(errors, ""); !made) return tl::unexpected(made.error());
  const int complaints = open(errors.c_str(), O_WRONLY | O_CLOEXEC);
  std::unique_ptr<RemoteFolder> folder(new RemoteFolder);
  Pipe output;
  const auto pid = start_child(*std::move(argv), {folder->input_.reader(), output.writer(), complaints});
  close(complaints);
  if (!pid) return tl::unexpected(pid.error());
  folder->pid_ = *pid;
  output.close_writer();
  folder->path_ = read_line(output.reader());
  if (folder->path_.starts_with('/')) return folder;

  folder.reset();
  const std::string why = last_line(text_of(errors));
  return tl::unexpected(why.empty() ? place.host + " gives us no folder for temporary files" : why);
}

RemoteFolder::~RemoteFolder() {
  input_.close_writer();
  if (pid_ < 0) return;
  using namespace std::chrono_literals;
  for (int i = 0; i < 1000; i++) {
    if (waitpid(pid_, nullptr, WNOHANG) != 0) return;
    std::this_thread::sleep_for(10ms);
  }
  kill(pid_, SIGKILL);
  waitpid(pid_, nullptr, 0);
}

}  // namespace plumb
