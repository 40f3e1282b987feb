#include "tools/file_shell.h"

#include <fmt/format.h>
#include <fnmatch.h>
#include <glob.h>

#include <algorithm>
#include <filesystem>

#include "forward/untrusted_text.h"
#include "sftp/tree_get.h"
#include "sftp/tree_put.h"
#include "tools/progress_meter.h"
#include "tools/remote_path.h"

namespace plumb {
namespace {

tl::unexpected<std::string> wrong(std::string sentence) { return tl::unexpected(std::move(sentence)); }

std::string cause_of(const sftp::reply::Status& status) {
  return on_one_line(status.message.empty() ? sftp::status_text(status.code) : status.message);
}

}  // namespace

/// Says what goes wrong, while the meter runs.
class FileShell::Watch final : public sftp::TreeObserver {
 public:
  Watch(const FileShell& shell, Direction direction)
      : shell_(shell), meter_(!shell.quiet_), target_side_(direction == Direction::kGet ? "here" : "there") {}

  void on_file(const sftp::FileTask& file) override {
    const sftp::FileResult result = file.result();
    if (result.done()) {
      complete_++;
      return;
    }
    failures_++;
    say(file.source() + ": " + sftp::cause_of(result.transfer) + what_is_there(result));
  }
  void on_cut_off(const sftp::FileTask& file) override {
    cut_off_++;
    last_cut_off_ = file.source() + ": cut off" + what_is_there(file.result());
  }
  void on_failed(const std::string& path, const std::string& cause) override {
    failures_++;
    say(path + ": " + cause);
  }
  void on_skipped(const std::string& path, const std::string& cause) override {
    say(path + ": " + cause + ", passed over");
  }

  void show(const sftp::TreeProgress& progress) { meter_.show(progress); }
  bool shows() const { return meter_.shown(); }
  uint64_t failures() const { return failures_; }

  /// What a copy that was given up has left; `one`: of a single file.
  std::string remains(bool one) const {
    if (one && cut_off_ == 1) return on_one_line(last_cut_off_);
    constexpr const char* kSentence =
        "the copy is not complete (files done: {}, cut off: {}); --resume goes on with what is {}";
    return fmt::format(kSentence, complete_, cut_off_, target_side_);
  }

 private:
  void say(const std::string& sentence) {
    meter_.clear();
    shell_.say_error(sentence);
  }
  std::string what_is_there(const sftp::FileResult& result) const {
    if (result.transfer.contiguous == 0) return "";
    return fmt::format("; its first {} bytes are {}, and --resume goes on behind them", result.transfer.contiguous,
                       target_side_);
  }

  const FileShell& shell_;
  ProgressMeter meter_;
  const char* target_side_;
  uint64_t complete_ = 0, failures_ = 0, cut_off_ = 0;
  std::string last_cut_off_;
};

Checked<std::unique_ptr<FileShell>> FileShell::open(SftpClient& client, bool quiet) {
  std::unique_ptr<FileShell> shell(new FileShell(client, quiet));
  std::error_code error;
  shell->local_folder_ = std::filesystem::current_path(error).string();
  if (error) return wrong("the working folder is gone: " + error.message());
  auto files = sftp::PosixFiles::open({.home = shell->local_folder_});
  if (!files) return wrong(describe(files.error()));
  shell->files_ = *std::move(files);
  return shell;
}

void FileShell::say_error(const std::string& sentence) const {
  fmt::print(stderr, "plumb: {}\n", on_one_line(sentence));
}

std::string FileShell::resolve(const std::string& folder, std::string_view path) {
  const std::string whole = join_path(folder, path);
  return whole.empty() ? "." : whole;
}

Checked<void> FileShell::ask(const std::string& subject, sftp::Ask::Request request,
                             const std::function<void(const sftp::Reply&)>& told) {
  std::string refused;
  sftp::Ask task(client_.client(), std::move(request), [&](const sftp::Reply& reply) {
    const auto* status = std::get_if<sftp::reply::Status>(&reply.what);
    if (status != nullptr && status->code != sftp::StatusCode::kOk)
      refused = cause_of(*status);
    else if (told)
      told(reply);
  });
  client_.run(task);
  if (task.error()) return wrong(on_one_line(subject) + ": " + describe(*task.error()));
  if (!refused.empty()) return wrong(on_one_line(subject) + ": " + refused);
  return {};
}

Checked<sftp::Attrs> FileShell::stat(const std::string& path) {
  sftp::Attrs attrs;
  const Checked<void> asked = ask_for<sftp::reply::Attributes>(
      path, [&](sftp::Client& c) { return c.stat(path); },
      [&](const sftp::reply::Attributes& told) {
        attrs = told.attrs;
        attrs.extended.clear();
      });
  if (!asked) return wrong(asked.error());
  return attrs;
}

Checked<std::vector<FileShell::Listed>> FileShell::list(const std::string& folder) {
  sftp::DirectoryHandle handle;
  Checked<void> asked = ask_for<sftp::reply::DirectoryOpened>(
      folder, [&](sftp::Client& c) { return c.open_directory(folder); },
      [&](const sftp::reply::DirectoryOpened& opened) { handle = opened.handle; });
  if (!asked) return wrong(asked.error());
  std::vector<Listed> entries;
  bool ended = false;
  Checked<void> read;
  while (!ended && read) {
    std::string refused;
    sftp::Ask task(
        client_.client(), [&](sftp::Client& c) { return c.read_directory(handle); },
        [&](const sftp::Reply& reply) {
          if (const auto* status = std::get_if<sftp::reply::Status>(&reply.what)) {
            ended = true;
            if (status->code != sftp::StatusCode::kEof) refused = cause_of(*status);
            return;
          }
          for (const sftp::NameEntry& entry : std::get<sftp::reply::Names>(reply.what).entries) {
            entries.push_back({std::string(entry.name), std::string(entry.long_name), entry.attrs});
            entries.back().attrs.extended.clear();
          }
        });
    client_.run(task);
    if (task.error()) read = wrong(on_one_line(folder) + ": " + describe(*task.error()));
    if (!refused.empty()) read = wrong(on_one_line(folder) + ": " + refused);
  }
  if (client_.usable()) ask(folder, [&](sftp::Client& c) { return c.close(handle); });
  if (!read) return wrong(read.error());
  std::ranges::sort(entries, {}, &Listed::name);
  return entries;
}

Checked<std::vector<std::string>> FileShell::expand(const std::string& pattern) {
  if (!is_pattern(pattern)) return std::vector<std::string>{pattern};
  std::vector<std::string> found{pattern.starts_with('/') ? "/" : ""};
  size_t at = 0;
  while (at < pattern.size()) {
    const size_t end = std::min(pattern.find('/', at), pattern.size());
    const std::string part = pattern.substr(at, end - at);
    at = end + 1;
    if (part.empty()) continue;
    std::vector<std::string> next;
    for (const std::string& folder : found) {
      if (!is_pattern(part)) {
        next.push_back(join_path(folder, part));
        continue;
      }
      const auto entries = list(folder.empty() ? "." : folder);
      if (!entries && found.size() == 1) return wrong(entries.error());
      if (!entries) continue;  // one of several that matched, and no folder
      for (const Listed& entry : *entries) {
        const bool plain = entry.name != "." && entry.name != ".." && entry.name.find('/') == std::string::npos;
        if (plain && fnmatch(part.c_str(), entry.name.c_str(), FNM_PERIOD) == 0)
          next.push_back(join_path(folder, entry.name));
      }
    }
    found = std::move(next);
  }
  if (found.empty()) return wrong(on_one_line(pattern) + ": nothing there matches");
  return found;
}

Checked<std::vector<std::string>> FileShell::expand_local(const std::string& pattern) const {
  if (!is_pattern(pattern)) return std::vector<std::string>{pattern};
  glob_t matches{};
  const int result = glob(pattern.c_str(), 0, nullptr, &matches);
  std::vector<std::string> paths(matches.gl_pathv, matches.gl_pathv + (result == 0 ? matches.gl_pathc : 0));
  globfree(&matches);
  if (paths.empty()) return wrong(on_one_line(pattern) + ": nothing here matches");
  return paths;
}

Checked<std::string> FileShell::where() {
  std::string path;
  const std::string folder = remote("");
  const Checked<void> asked = ask_for<sftp::reply::Names>(
      folder, [&](sftp::Client& c) { return c.real_path(folder); },
      [&](const sftp::reply::Names& names) {
        if (!names.entries.empty()) path = names.entries.front().name;
      });
  if (!asked) return wrong(asked.error());
  if (!path.starts_with('/')) return wrong("the server does not say where its folder is");
  return path;
}

Checked<void> FileShell::enter(const std::string& folder) {
  const std::string before = std::exchange(remote_folder_, folder);
  const Checked<std::string> path = where();
  remote_folder_ = before;
  if (!path) return wrong(path.error());
  const Checked<sftp::Attrs> attrs = stat(*path);
  if (!attrs) return wrong(attrs.error());
  if (attrs->has(sftp::kHasPermissions) && !attrs->is_type(sftp::kTypeDirectory))
    return wrong(on_one_line(folder) + ": it is no folder");
  remote_folder_ = *path;
  return {};
}

Checked<void> FileShell::enter_local(const std::string& folder) {
  const Result<std::string> path = files_->real_path(folder);
  if (!path) return wrong(folder + ": " + describe(path.error()));
  const Result<sftp::Attrs> attrs = files_->stat(*path);
  if (!attrs) return wrong(folder + ": " + describe(attrs.error()));
  if (!attrs->is_type(sftp::kTypeDirectory)) return wrong(folder + ": it is no folder");
  local_folder_ = *path;
  return {};
}

/// `make` makes the task that copies one of the sources, for an observer.
template <class MakeTask>
Checked<void> FileShell::copy(Direction direction, const std::vector<std::string>& sources, CopyFlags flags,
                              MakeTask make) {
  Watch watch(*this, direction);
  for (const std::string& source : sources) {
    const std::unique_ptr<sftp::TreeTask> task = make(source, watch);
    std::function<void()> tick;
    if (watch.shows()) tick = [&] { watch.show(task->progress()); };
    if (!client_.run(*task, tick)) return wrong(watch.remains(sources.size() == 1 && !flags.recursive));
  }
  if (watch.failures() > 0) return wrong(fmt::format("{} could not be copied", watch.failures()));
  return {};
}

sftp::TreeOptions FileShell::tree_options(CopyFlags flags) {
  return {.recursive = flags.recursive,
          .resume = flags.resume,
          .preserve = flags.preserve,
          .background = &client_.background()};
}

Checked<void> FileShell::get(const std::vector<std::string>& sources, const std::string& target, CopyFlags flags) {
  const Result<sftp::Attrs> there = files_->stat(target);
  const bool into = (there && there->is_type(sftp::kTypeDirectory)) || target.ends_with('/');
  if (!into && sources.size() > 1) return wrong(target + ": it is no folder, and several files are to be copied");
  return copy(Direction::kGet, sources, flags, [&](const std::string& source, sftp::TreeObserver& observer) {
    sftp::TreeOptions options = tree_options(flags);
    options.max_in_flight = client_.max_in_flight();
    return std::make_unique<sftp::TreeGet>(client_.client(), source, *files_,
                                           into ? join_path(target, last_name(source)) : target, options, observer);
  });
}

Checked<void> FileShell::put(const std::vector<std::string>& sources, const std::string& target, CopyFlags flags) {
  bool into = target.ends_with('/') || last_name(target).empty();
  if (!into) {
    const Checked<sftp::Attrs> there = stat(target);
    if (!client_.usable()) return wrong(there.error());
    into = there && there->is_type(sftp::kTypeDirectory);
  }
  if (!into && sources.size() > 1)
    return wrong(on_one_line(target) + ": it is no folder there, and several files are to be copied");
  return copy(Direction::kPut, sources, flags, [&](const std::string& source, sftp::TreeObserver& observer) {
    return std::make_unique<sftp::TreePut>(client_.client(), *files_, source,
                                           into ? join_path(target, last_name(source)) : target, tree_options(flags),
                                           observer);
  });
}

}  // namespace plumb
