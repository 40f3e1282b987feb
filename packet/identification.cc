#include "packet/identification.h"

#include <algorithm>
#include <cstring>
#include <string_view>

#include "core/check.h"

namespace plumb {
namespace {

constexpr std::string_view kPrefix = "SSH-";

// What stands before the software version in the two versions that mean protocol 2 (RFC 4253 §4.2, §5.1).
constexpr std::string_view kVersions[] = {"SSH-2.0-", "SSH-1.99-"};

bool may_begin_identification(std::string_view line) {
  const size_t n = std::min(line.size(), kPrefix.size());
  return line.substr(0, n) == kPrefix.substr(0, n);
}

/// `line` without its LF and the CR before it.
std::string_view strip_line_ending(std::string_view line) {
  line.remove_suffix(1);
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

/// Checks a complete identification without CR LF.
Result<std::string> check_identification(std::string_view line) {
  if (line.find('\0') != line.npos) {
    return fail(ErrorCode::kProtocol, "the peer's SSH identification contains a NUL byte");
  }
  if (line.find('\r') != line.npos) {
    return fail(ErrorCode::kProtocol, "the peer's SSH identification contains a carriage return");
  }
  for (const std::string_view version : kVersions) {
    if (!line.starts_with(version)) continue;
    if (line.size() > version.size()) return std::string(line);
    return fail(ErrorCode::kProtocol, "the peer's SSH identification names no software version");
  }
  return fail(ErrorCode::kUnsupported, "the peer speaks another SSH protocol version than 2.0");
}

}  // namespace

Result<std::optional<std::string>> IdentificationReader::next(Buffer& in) {
  while (!in.empty()) {
    const std::string_view data = as_text(in.data());
    const bool identification = may_begin_identification(data);
    if (!identification && !allow_lines_before_) {
      return fail(ErrorCode::kProtocol, "the peer did not begin with an SSH identification (\"SSH-2.0-...\")");
    }
    const size_t bound = identification ? kMaxIdentification : kMaxBytesBeforeIdentification - bytes_before_;
    const size_t newline = data.substr(0, bound).find('\n');
    if (newline == data.npos) {
      if (data.size() < bound) return std::nullopt;
      return identification
                 ? fail(ErrorCode::kLimit, "the peer's SSH identification is longer than 255 bytes")
                 : fail(ErrorCode::kLimit, "no SSH identification in the first 8192 bytes: is this an SSH port?");
    }
    const std::string_view line = data.substr(0, newline + 1);
    if (line.starts_with(kPrefix)) {
      Result<std::string> checked = check_identification(strip_line_ending(line));
      if (!checked) return tl::unexpected(checked.error());
      in.consume(line.size());
      return std::move(*checked);
    }
    if (const auto skipped = skip_line(line); !skipped) return tl::unexpected(skipped.error());
    in.consume(line.size());
  }
  return std::nullopt;
}

Result<void> IdentificationReader::skip_line(std::string_view line) {
  if (line.find('\0') != line.npos) {
    return fail(ErrorCode::kProtocol, "the peer sent a NUL byte before its SSH identification: is this an SSH port?");
  }
  if (lines_before_.size() == kMaxLinesBeforeIdentification) {
    return fail(ErrorCode::kLimit, "no SSH identification in the first 1024 lines: is this an SSH port?");
  }
  bytes_before_ += line.size();
  lines_before_.emplace_back(strip_line_ending(line));
  return {};
}

std::string make_identification(std::string_view software) {
  PLUMB_CHECK(!software.empty());
  PLUMB_CHECK(std::ranges::all_of(software, [](char c) { return c > ' ' && c <= '~' && c != '-'; }));
  std::string identification = std::string(kVersions[0]).append(software);
  PLUMB_CHECK(identification.size() + 2 <= kMaxIdentification);
  return identification;
}

}  // namespace plumb
