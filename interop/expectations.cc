#include "interop/expectations.h"

#include <fnmatch.h>

#include <sstream>

namespace plumb {
namespace {

std::string trimmed(const std::string& text) {
  const size_t start = text.find_first_not_of(" \t\r");
  return start == std::string::npos ? "" : text.substr(start, text.find_last_not_of(" \t\r") - start + 1);
}

}  // namespace

bool Expectation::covers(std::string_view peer_name, std::string_view role_name, const std::string& case_name) const {
  return peer == peer_name && role == role_name && fnmatch(pattern.c_str(), case_name.c_str(), FNM_NOESCAPE) == 0;
}

tl::expected<std::vector<Expectation>, std::string> parse_expectations(std::string_view text) {
  std::vector<Expectation> expectations;
  std::istringstream lines{std::string(text)};
  size_t number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    line = trimmed(line);
    if (line.empty() || line[0] == '#') continue;
    const auto wrong = [number](const std::string& what) {
      return tl::unexpected("line " + std::to_string(number) + ": " + what +
                            "; write \"peer role case-pattern : reason\"");
    };
    const size_t colon = line.find(" : ");
    if (colon == std::string::npos) return wrong("no reason behind \" : \"");
    Expectation e{.peer = "", .role = "", .pattern = "", .reason = trimmed(line.substr(colon + 3)), .line = number};
    std::string more;
    std::istringstream words(line.substr(0, colon));
    words >> e.peer >> e.role >> e.pattern;
    if (e.pattern.empty() || words >> more) return wrong("three words belong before \" : \"");
    if (e.role != "server" && e.role != "client") return wrong("the role is \"server\" or \"client\"");
    if (e.reason.empty()) return wrong("no reason behind \" : \"");
    expectations.push_back(std::move(e));
  }
  return expectations;
}

const Expectation* find_expectation(std::span<const Expectation> expectations, std::string_view peer,
                                    std::string_view role, const std::string& case_name) {
  for (const Expectation& e : expectations) {
    if (e.covers(peer, role, case_name)) return &e;
  }
  return nullptr;
}

}  // namespace plumb
