#include "tools/file_commands.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <ctime>

#include "forward/untrusted_text.h"
#include "tools/remote_path.h"

namespace plumb {
namespace {

using sftp::Attrs;
using sftp::Client;

constexpr size_t kAny = SIZE_MAX;

tl::unexpected<std::string> wrong(std::string sentence) { return tl::unexpected(std::move(sentence)); }

/// Does `one` to every path that a pattern of `words` matches; stops at the first that fails.
template <class One>
Checked<void> for_each_path(FileShell& shell, const Words& words, One one) {
  for (const std::string& word : words) {
    const auto paths = shell.expand(shell.remote(word));
    if (!paths) return wrong(paths.error());
    for (const std::string& path : *paths) {
      if (const Checked<void> done = one(path); !done) return done;
    }
  }
  return {};
}

CopyFlags copy_flags(const FileFlags& flags) {
  return {.recursive = flags.has('r'), .preserve = flags.has('p'), .resume = flags.has('a')};
}

/// What the words but the last one name, or the only one.
template <class Expand>
Checked<Words> sources_of(const Words& words, Expand expand) {
  const Words sources(words.begin(), words.size() > 1 ? words.end() - 1 : words.end());
  Words found;
  for (const std::string& source : sources) {
    const Checked<Words> paths = expand(source);
    if (!paths) return wrong(paths.error());
    found.insert(found.end(), paths->begin(), paths->end());
  }
  return found;
}

Checked<void> get(FileShell& shell, const FileFlags& flags, const Words& words) {
  const auto sources = sources_of(words, [&](const std::string& path) { return shell.expand(shell.remote(path)); });
  if (!sources) return wrong(sources.error());
  return shell.get(*sources, shell.local(words.size() > 1 ? words.back() : "."), copy_flags(flags));
}

Checked<void> put(FileShell& shell, const FileFlags& flags, const Words& words) {
  const auto sources =
      sources_of(words, [&](const std::string& path) { return shell.expand_local(shell.local(path)); });
  if (!sources) return wrong(sources.error());
  return shell.put(*sources, shell.remote(words.size() > 1 ? words.back() : ""), copy_flags(flags));
}

void print_entry(const FileShell::Listed& entry, bool details) {
  fmt::print("{}\n", on_one_line(details && !entry.long_name.empty() ? entry.long_name : entry.name));
}

Checked<void> ls(FileShell& shell, const FileFlags& flags, const Words& words) {
  const Words all = words.empty() ? Words{""} : words;
  for (const std::string& word : all) {
    const auto paths = shell.expand(shell.remote(word));
    if (!paths) return wrong(paths.error());
    for (const std::string& path : *paths) {
      const Checked<Attrs> attrs = shell.stat(path);
      if (!attrs) return wrong(attrs.error());
      if (!attrs->is_type(sftp::kTypeDirectory)) {
        // The server words a line of `ls -l` in listings alone.
        const std::string folder = path.substr(0, path.rfind('/') == std::string::npos ? 0 : path.rfind('/') + 1);
        const auto beside =
            flags.has('l') ? shell.list(folder.empty() ? "." : folder) : Checked<std::vector<FileShell::Listed>>{};
        FileShell::Listed entry{path, "", *attrs};
        if (beside) {
          const auto found = std::ranges::find(*beside, last_name(path), &FileShell::Listed::name);
          if (found != beside->end()) entry.long_name = found->long_name;
        }
        print_entry(entry, flags.has('l'));
        continue;
      }
      const auto entries = shell.list(path);
      if (!entries) return wrong(entries.error());
      if (all.size() > 1 || paths->size() > 1) fmt::print("{}:\n", on_one_line(path));
      for (const FileShell::Listed& entry : *entries) {
        if (flags.has('a') || !entry.name.starts_with('.')) print_entry(entry, flags.has('l'));
      }
    }
  }
  return {};
}

Checked<void> rm(FileShell& shell, const FileFlags&, const Words& words) {
  return for_each_path(shell, words, [&](const std::string& path) {
    return shell.ask(path, [&](Client& c) { return c.remove(path); });
  });
}

Checked<void> mkdir(FileShell& shell, const FileFlags&, const Words& words) {
  for (const std::string& word : words) {
    const std::string path = shell.remote(word);
    const Checked<void> done =
        shell.ask(path, [&](Client& c) { return c.make_directory(path, sftp::with_permissions(0777)); });
    if (!done) return done;
  }
  return {};
}

Checked<void> rmdir(FileShell& shell, const FileFlags&, const Words& words) {
  return for_each_path(shell, words, [&](const std::string& path) {
    return shell.ask(path, [&](Client& c) { return c.remove_directory(path); });
  });
}

Checked<void> rename(FileShell& shell, const FileFlags&, const Words& words) {
  const std::string from = shell.remote(words[0]), to = shell.remote(words[1]);
  return shell.ask(from, [&](Client& c) {
    return c.supports(sftp::Extension::kPosixRename) ? c.replace(from, to) : c.rename(from, to);
  });
}

Checked<void> ln(FileShell& shell, const FileFlags& flags, const Words& words) {
  const std::string link = shell.remote(words[1]);
  if (flags.has('s')) return shell.ask(link, [&](Client& c) { return c.make_link(words[0], link); });
  const std::string existing = shell.remote(words[0]);
  return shell.ask(link, [&](Client& c) { return c.make_hard_link(existing, link); });
}

std::optional<uint32_t> read_number(const std::string& text, int base) {
  uint32_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number, base);
  if (error != std::errc() || end != text.data() + text.size() || text.empty()) return std::nullopt;
  return number;
}

Checked<void> chmod(FileShell& shell, const FileFlags&, const Words& words) {
  const std::optional<uint32_t> mode = read_number(words[0], 8);
  if (!mode || *mode > sftp::kModeMask) return wrong(fmt::format("'{}' is no mode; write one as 640", words[0]));
  return for_each_path(shell, Words(words.begin() + 1, words.end()), [&](const std::string& path) {
    return shell.ask(path, [&](Client& c) { return c.set_attrs(path, sftp::with_permissions(*mode)); });
  });
}

/// chown and chgrp: SFTP sets both numbers at once.
Checked<void> set_owner(FileShell& shell, const Words& words, uint32_t Attrs::*which) {
  const std::optional<uint32_t> id = read_number(words[0], 10);
  if (!id) return wrong(fmt::format("'{}' is no number; SFTP knows owners and groups by number", words[0]));
  return for_each_path(shell, Words(words.begin() + 1, words.end()), [&](const std::string& path) -> Checked<void> {
    const Checked<Attrs> before = shell.stat(path);
    if (!before) return wrong(before.error());
    if (!before->has(sftp::kHasOwner)) return wrong(path + ": the server does not say whose it is");
    Attrs attrs{.flags = sftp::kHasOwner, .uid = before->uid, .gid = before->gid};
    attrs.*which = *id;
    return shell.ask(path, [&](Client& c) { return c.set_attrs(path, attrs); });
  });
}

Checked<void> chown(FileShell& shell, const FileFlags&, const Words& words) {
  return set_owner(shell, words, &Attrs::uid);
}

Checked<void> chgrp(FileShell& shell, const FileFlags&, const Words& words) {
  return set_owner(shell, words, &Attrs::gid);
}

Checked<void> df(FileShell& shell, const FileFlags& flags, const Words& words) {
  const std::string path = shell.remote(words.empty() ? "" : words[0]);
  return shell.ask_for<sftp::reply::FileSystem>(
      path, [&](Client& c) { return c.statvfs(path); },
      [&](const sftp::reply::FileSystem& told) {
        const sftp::StatvfsReply& n = told.numbers;
        const double unit = static_cast<double>(n.fragment_size) / (flags.has('h') ? 1024.0 * 1024 * 1024 : 1024.0);
        const auto amount = [&](uint64_t blocks) {
          return fmt::format("{:.{}f}", static_cast<double>(blocks) * unit, flags.has('h') ? 1 : 0);
        };
        const uint64_t used = n.blocks - std::min(n.blocks, n.blocks_free);
        const uint64_t usable = used + n.blocks_available;
        fmt::print("{:>14} {:>14} {:>14} {:>5}\n", flags.has('h') ? "GiB" : "KiB", "used", "available", "full");
        fmt::print("{:>14} {:>14} {:>14} {:>4}%\n", amount(n.blocks), amount(used), amount(n.blocks_available),
                   usable == 0
                       ? 0
                       : static_cast<unsigned>(100 * static_cast<double>(used) / static_cast<double>(usable) + 0.5));
      });
}

Checked<void> stat(FileShell& shell, const FileFlags&, const Words& words) {
  return for_each_path(shell, words, [&](const std::string& path) -> Checked<void> {
    const Checked<Attrs> attrs = shell.stat(path);
    if (!attrs) return wrong(attrs.error());
    std::string line = on_one_line(path) + ":";
    if (attrs->has(sftp::kHasSize)) line += fmt::format(" size {}", attrs->size);
    if (attrs->has(sftp::kHasPermissions)) line += fmt::format(" mode {:06o}", attrs->permissions);
    if (attrs->has(sftp::kHasOwner)) line += fmt::format(" uid {} gid {}", attrs->uid, attrs->gid);
    if (attrs->has(sftp::kHasTimes))
      line += fmt::format(" modified {:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(static_cast<std::time_t>(attrs->mtime)));
    fmt::print("{}\n", line);
    return {};
  });
}

Checked<void> cd(FileShell& shell, const FileFlags&, const Words& words) {
  return shell.enter(shell.remote(words.empty() ? "" : words[0]));
}

Checked<void> lcd(FileShell& shell, const FileFlags&, const Words& words) {
  return shell.enter_local(shell.local(words[0]));
}

Checked<void> pwd(FileShell& shell, const FileFlags&, const Words&) {
  const Checked<std::string> path = shell.where();
  if (!path) return wrong(path.error());
  fmt::print("{}\n", on_one_line(*path));
  return {};
}

Checked<void> lpwd(FileShell& shell, const FileFlags&, const Words&) {
  fmt::print("{}\n", shell.where_locally());
  return {};
}

const std::vector<FileFlag> kCopy{{'r', nullptr, "folders with all that is in them"},
                                  {'p', nullptr, "keep mode and times"},
                                  {'a', "--resume", "go on behind what is there in part"}};

const FileCommand kCommands[] = {
    {"get", nullptr, "PATH... [LOCAL]", "copy files from there", kCopy, 1, kAny, RemoteWords::kAllButLast, false, get},
    {"put", nullptr, "LOCAL... PATH", "copy files to there", kCopy, 1, kAny, RemoteWords::kLast, false, put},
    {"ls",
     "dir",
     "[PATH...]",
     "list folders",
     {{'l', nullptr, "as ls -l"}, {'a', nullptr, "dot files too"}},
     0,
     kAny,
     RemoteWords::kAll,
     false,
     ls},
    {"rm", "delete", "PATH...", "remove files", {}, 1, kAny, RemoteWords::kAll, false, rm},
    {"mkdir", nullptr, "PATH...", "make folders", {}, 1, kAny, RemoteWords::kAll, false, mkdir},
    {"rmdir", nullptr, "PATH...", "remove empty folders", {}, 1, kAny, RemoteWords::kAll, false, rmdir},
    {"mv", "rename", "OLD NEW", "rename", {}, 2, 2, RemoteWords::kAll, false, rename},
    {"ln",
     nullptr,
     "EXISTING LINK",
     "make a link",
     {{'s', nullptr, "a symbolic one"}},
     2,
     2,
     RemoteWords::kAll,
     false,
     ln},
    {"chmod", nullptr, "MODE PATH...", "set the mode", {}, 2, kAny, RemoteWords::kAllButFirst, false, chmod},
    {"chown", nullptr, "UID PATH...", "set the owner", {}, 2, kAny, RemoteWords::kAllButFirst, false, chown},
    {"chgrp", nullptr, "GID PATH...", "set the group", {}, 2, kAny, RemoteWords::kAllButFirst, false, chgrp},
    {"df",
     nullptr,
     "[PATH]",
     "how full a file system is",
     {{'h', nullptr, "in GiB"}},
     0,
     1,
     RemoteWords::kAll,
     false,
     df},
    {"stat", nullptr, "PATH...", "size, mode, owner and time of files", {}, 1, kAny, RemoteWords::kAll, false, stat},
    {"cd", nullptr, "[PATH]", "go to a folder there", {}, 0, 1, RemoteWords::kAll, true, cd},
    {"lcd", nullptr, "PATH", "go to a folder here", {}, 1, 1, RemoteWords::kNone, true, lcd},
    {"pwd", nullptr, "", "say which folder it is there", {}, 0, 0, RemoteWords::kNone, true, pwd},
    {"lpwd", nullptr, "", "say which folder it is here", {}, 0, 0, RemoteWords::kNone, true, lpwd},
};

}  // namespace

std::span<const FileCommand> file_commands() { return kCommands; }

const FileCommand* find_file_command(std::string_view name) {
  const auto found = std::ranges::find_if(kCommands, [name](const FileCommand& command) {
    return command.name == name || (command.other_name != nullptr && command.other_name == name);
  });
  return found == std::end(kCommands) ? nullptr : found;
}

Checked<void> check_words(const FileCommand& command, size_t count) {
  if (count >= command.least && count <= command.most) return {};
  return wrong(fmt::format("{} takes {}", command.name, *command.arguments == '\0' ? "nothing" : command.arguments));
}

}  // namespace plumb
