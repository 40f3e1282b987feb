#include "bench/system_calls.h"

#include <charconv>
#include <sstream>

#include "bench/child_process.h"
#include "interop/scratch_folder.h"

namespace plumb {
namespace {

constexpr const char* kPerf = "/usr/bin/perf";
constexpr const char* kStrace = "/usr/bin/strace";
constexpr const char* kEvents = "raw_syscalls:sys_enter,syscalls:sys_enter_sendto,syscalls:sys_enter_sendmsg";

std::vector<std::string> split(const std::string& line, bool by_comma) {
  std::vector<std::string> words;
  std::istringstream stream(line);
  std::string word;
  while (by_comma ? static_cast<bool>(std::getline(stream, word, ',')) : static_cast<bool>(stream >> word))
    words.push_back(word);
  return words;
}

bool read_count(const std::string& text, uint64_t& count) {
  return std::from_chars(text.data(), text.data() + text.size(), count).ec == std::errc();
}

bool sends(std::string_view name) { return name.ends_with("sendto") || name.ends_with("sendmsg"); }

/// "9120,,raw_syscalls:sys_enter,…"
bool read_perf(const std::string& line, CallCounts& counts) {
  const std::vector<std::string> words = split(line, true);
  uint64_t count = 0;
  if (words.size() < 3 || !read_count(words[0], count)) return false;
  if (words[2] == "raw_syscalls:sys_enter") counts.all = count;
  if (sends(words[2])) counts.sends += count;
  return true;
}

/// "100.00    0.000000           0        29         1 total"; errors are left blank where there were none.
bool read_strace(const std::string& line, CallCounts& counts) {
  const std::vector<std::string> words = split(line, false);
  uint64_t count = 0;
  if (words.size() < 5 || !read_count(words[3], count)) return false;
  if (words.back() == "total") counts.all = count;
  if (sends(words.back())) counts.sends += count;
  return true;
}

}  // namespace

CallCounter::CallCounter(std::filesystem::path folder) : file_(std::move(folder) / "calls") {
  for (const std::string_view means : {"perf", "strace"}) {
    means_ = means;
    if (run_child(wrap({"/bin/true"}), file_.string() + ".errors") && counted()) return;
  }
  means_ = {};
}

std::vector<std::string> CallCounter::wrap(std::vector<std::string> argv) const {
  std::vector<std::string> words;
  if (means_ == "perf") words = {kPerf, "stat", "-x,", "-o", file_.string(), "-e", kEvents, "--"};
  if (means_ == "strace") words = {kStrace, "-c", "-f", "-o", file_.string(), "--"};
  words.insert(words.end(), argv.begin(), argv.end());
  return words;
}

tl::expected<CallCounts, std::string> CallCounter::counted() const {
  if (means_.empty()) return tl::unexpected(std::string("neither perf nor strace counts system calls here"));
  CallCounts counts;
  std::istringstream text(text_of(file_));
  for (std::string line; std::getline(text, line);) {
    if (means_ == "perf") read_perf(line, counts);
    if (means_ == "strace") read_strace(line, counts);
  }
  if (counts.all == 0) return tl::unexpected(std::string(means_) + " told no count");
  return counts;
}

}  // namespace plumb
