#include "interop/junit.h"

#include <fmt/format.h>

namespace plumb {
namespace {

/// Text for an attribute or an element. XML 1.0 knows no control characters.
std::string escaped(std::string_view text) {
  std::string result;
  for (const char c : text) {
    switch (c) {
      case '&': result += "&amp;"; break;
      case '<': result += "&lt;"; break;
      case '>': result += "&gt;"; break;
      case '"': result += "&quot;"; break;
      case '\n': result += "&#10;"; break;
      default: result += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
    }
  }
  return result;
}

std::string case_xml(const std::string& suite, const CaseResult& result) {
  const std::string head = fmt::format(R"(    <testcase classname="{}" name="{}" time="{:.3f}")", escaped(suite),
                                       escaped(result.test.name()), result.seconds);
  const auto with = [&](const std::string& inner) { return head + ">" + inner + "</testcase>\n"; };
  switch (result.verdict) {
    case Verdict::kPassed: return head + "/>\n";
    case Verdict::kFailed:
      return with(fmt::format(R"(<failure type="{}" message="{}">{}</failure>)", escaped(result.judgement.layer),
                              escaped(result.judgement.words), escaped(result.meeting.peer_words)));
    case Verdict::kKnown:
      return with(fmt::format(R"(<skipped message="known deviation: {}"/>)", escaped(result.expectation->reason)));
    case Verdict::kGoneOff:
      return with(fmt::format(R"(<failure type="expectation" message="no longer needed: {}"/>)",
                              escaped(result.expectation->reason)));
  }
  return {};
}

std::string role_xml(const Peer& peer, const RoleReport& role) {
  const std::string suite = fmt::format("{}.{}", peer.name(), role.role);
  double seconds = 0;
  std::string cases;
  for (const CaseResult& result : role.results) {
    seconds += result.seconds;
    cases += case_xml(suite, result);
  }
  for (const Expectation* e : role.without_case) {
    cases += fmt::format(R"(    <testcase classname="{}" name="{}"><failure type="expectation" )"
                         R"(message="no longer needed: it covers no case"/></testcase>)"
                         "\n",
                         escaped(suite), escaped(e->pattern));
  }
  if (!role.error.empty()) {
    cases += fmt::format(R"(    <testcase classname="{}" name="offer"><error message="{}"/></testcase>)"
                         "\n",
                         escaped(suite), escaped(role.error));
  }
  const size_t failures = role.count(Verdict::kFailed) + role.count(Verdict::kGoneOff) + role.without_case.size();
  const size_t errors = role.error.empty() ? 0 : 1;
  return fmt::format(R"(  <testsuite name="{}" tests="{}" failures="{}" errors="{}" skipped="{}" time="{:.3f}">)"
                     "\n",
                     escaped(suite), role.results.size() + role.without_case.size() + errors, failures, errors,
                     role.count(Verdict::kKnown), seconds) +
         cases + "  </testsuite>\n";
}

std::string absent_xml(const PeerReport& report) {
  const std::string name = escaped(report.peer->name());
  return fmt::format(R"(  <testsuite name="{0}" tests="1" failures="0" errors="0" skipped="1" time="0">)"
                     "\n"
                     R"(    <testcase classname="{0}" name="present"><skipped message="{1}"/></testcase>)"
                     "\n  </testsuite>\n",
                     name, escaped(report.absent));
}

}  // namespace

std::string junit_xml(std::span<const PeerReport> reports) {
  std::string xml = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"interop_probe matrix\">\n";
  for (const PeerReport& report : reports) {
    if (!report.absent.empty()) xml += absent_xml(report);
    for (const RoleReport& role : report.roles) xml += role_xml(*report.peer, role);
  }
  return xml + "</testsuites>\n";
}

}  // namespace plumb
