#include "tools/file_batch.h"

#include <fmt/format.h>

#include <cstdio>

#include "tools/remote_path.h"

namespace plumb {
namespace {

tl::unexpected<std::string> wrong(std::string sentence) { return tl::unexpected(std::move(sentence)); }

/// Takes words like "-rp" and "--resume" off the front; "--" ends them.
Checked<FileFlags> take_flags(const FileCommand& command, Words& words) {
  FileFlags flags;
  while (!words.empty() && words.front().size() > 1 && words.front().starts_with('-')) {
    const std::string word = words.front();
    words.erase(words.begin());
    if (word == "--") break;
    for (const char letter : word.substr(1)) {
      const auto is_it = [&](const FileFlag& flag) {
        return word.starts_with("--") ? flag.name != nullptr && word == flag.name : flag.letter == letter;
      };
      const auto found = std::ranges::find_if(command.flags, is_it);
      if (found == command.flags.end()) return wrong(fmt::format("{} has no option {}", command.name, word));
      flags.letters += found->letter;
    }
  }
  return flags;
}

Checked<void> run_line(FileShell& shell, Words words) {
  // sftp's names for getting and putting with --resume.
  const bool again = words.front() == "reget" || words.front() == "reput";
  const FileCommand* command = find_file_command(again ? words.front().substr(2) : words.front());
  if (command == nullptr) return wrong(fmt::format("there is no command '{}'", words.front()));
  words.erase(words.begin());
  Checked<FileFlags> flags = take_flags(*command, words);
  if (!flags) return wrong(flags.error());
  if (again) flags->letters += 'a';
  if (const Checked<void> checked = check_words(*command, words.size()); !checked) return checked;
  return command->run(shell, *flags, words);
}

bool ends(const std::string& word) { return word == "exit" || word == "quit" || word == "bye"; }

}  // namespace

Checked<void> run_batch(FileShell& shell, std::istream& lines, bool echo) {
  std::string line;
  for (size_t number = 1; std::getline(lines, line); number++) {
    const size_t begin = std::min(line.find_first_not_of(" \t"), line.size());
    bool silent = false, careless = false;
    size_t at = begin;
    for (; at < line.size() && (line[at] == '-' || line[at] == '@'); at++) (line[at] == '-' ? careless : silent) = true;
    const auto words = split_words(std::string_view(line).substr(at));
    if (words && words->empty()) continue;
    if (echo && !silent) fmt::print("sftp> {}\n", line.substr(begin));
    std::fflush(stdout);
    if (words && ends(words->front())) return {};
    const Checked<void> done = words ? run_line(shell, *words) : wrong("a quote is left open");
    std::fflush(stdout);
    if (done) continue;
    const std::string sentence = fmt::format("line {}: {}", number, done.error());
    if (!careless || !shell.client().usable()) return wrong(sentence);
    shell.say_error(sentence);
  }
  return {};
}

}  // namespace plumb
