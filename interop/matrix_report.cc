#include "interop/matrix_report.h"

#include <fmt/format.h>

#include "tools/program.h"

namespace plumb {
namespace {

std::string_view to_string(Verdict verdict) {
  switch (verdict) {
    case Verdict::kPassed: return "passed";
    case Verdict::kFailed: return "failed";
    case Verdict::kKnown: return "known deviation";
    case Verdict::kGoneOff: return "no longer needed";
  }
  return "";
}

std::string painted(const std::string& text, const char* sgr, bool color) {
  return color ? fmt::format("\033[{}m{}\033[0m", sgr, text) : text;
}

/// What a peer offers and we do not have.
NameList others(const NameList& theirs, const NameList& common) {
  NameList names;
  for (const std::string& name : theirs) {
    if (!contains_name(common, name)) names.push_back(name);
  }
  return names;
}

void print_case(FILE* out, const CaseResult& result, bool color) {
  const std::string name = result.test.name();
  switch (result.verdict) {
    case Verdict::kPassed: return;
    case Verdict::kFailed:
      fmt::print(out, "  {} {}: {}: {}", painted("FAILED", "31", color), name, result.judgement.layer,
                 result.judgement.words);
      if (!result.meeting.peer_words.empty()) fmt::print(out, "; the peer: {}", result.meeting.peer_words);
      fmt::print(out, "\n");
      return;
    case Verdict::kKnown:
      fmt::print(out, "  {} {}: {}: {}\n", painted("known", "33", color), name, result.judgement.layer,
                 result.expectation->reason);
      return;
    case Verdict::kGoneOff:
      fmt::print(out, "  {} {} passed: line {} of the expectations is no longer needed\n",
                 painted("FAILED", "31", color), name, result.expectation->line);
      return;
  }
}

void print_role(FILE* out, const Peer& peer, const RoleReport& role, bool color) {
  const std::string head = fmt::format("{} as {}", peer.name(), role.role);
  if (!role.error.empty()) {
    fmt::print(out, "{}: {} {}\n", head, painted("FAILED", "31", color), role.error);
    return;
  }
  fmt::print(out, "{} ({}): {} executed, {} passed, {} failed, {} known deviations\n", head, role.offer.identification,
             role.results.size(), role.count(Verdict::kPassed) + role.count(Verdict::kGoneOff),
             role.count(Verdict::kFailed), role.count(Verdict::kKnown));
  for (const CaseResult& result : role.results) print_case(out, result, color);
  for (const Expectation* e : role.without_case) {
    fmt::print(out, "  {} line {} of the expectations covers no case ({}): no longer needed\n",
               painted("FAILED", "31", color), e->line, e->pattern);
  }
}

nlohmann::json case_json(const CaseResult& result) {
  const Meeting& meeting = result.meeting;
  nlohmann::json json = {{"case", result.test.name()},
                         {"kind", to_string(result.test.kind)},
                         {"kex", result.test.kex},
                         {"host_key", result.test.host_key},
                         {"user_key", result.test.user_key},
                         {"cipher", result.test.cipher},
                         {"mac", result.test.mac},
                         {"verdict", to_string(result.verdict)},
                         {"key_exchanges", meeting.key_exchanges},
                         {"bytes_back", meeting.bytes},
                         {"seconds", result.seconds}};
  if (!result.judgement.layer.empty()) {
    json["layer"] = result.judgement.layer;
    json["words"] = result.judgement.words;
    json["peer_words"] = meeting.peer_words;
  }
  if (result.expectation != nullptr) json["expectation"] = result.expectation->reason;
  return json;
}

nlohmann::json role_json(const RoleReport& role) {
  nlohmann::json json = {{"role", role.role}, {"as_expected", role.as_expected()}};
  if (!role.error.empty()) {
    json["error"] = role.error;
    return json;
  }
  const Proposal& theirs = role.offer.proposal;
  json["identification"] = role.offer.identification;
  json["offered_beyond_ours"] = {
      {"kex", others(theirs.kex, role.common.kex)},
      {"host_keys", others(others(theirs.host_keys, role.common.host_keys), role.common.certificates)},
      {"ciphers", others(theirs.ciphers_c2s, role.common.ciphers)},
      {"macs", others(theirs.macs_c2s, role.common.macs)}};
  json["executed"] = role.results.size();
  json["passed"] = role.count(Verdict::kPassed);
  json["failed"] = role.count(Verdict::kFailed);
  json["known_deviations"] = role.count(Verdict::kKnown);
  json["no_longer_needed"] = role.count(Verdict::kGoneOff) + role.without_case.size();
  json["cases"] = nlohmann::json::array();
  for (const CaseResult& result : role.results) json["cases"].push_back(case_json(result));
  return json;
}

}  // namespace

void print_report(FILE* out, const PeerReport& report, bool color) {
  if (!report.absent.empty()) {
    fmt::print(out, "{}: {}: {}\n", report.peer->name(), painted("skipped", "33", color), report.absent);
  }
  for (const RoleReport& role : report.roles) print_role(out, *report.peer, role, color);
  std::fflush(out);
}

nlohmann::json matrix_json(std::span<const PeerReport> reports) {
  nlohmann::json json = begin_report("interop_matrix", 1);
  json["peers"] = nlohmann::json::array();
  for (const PeerReport& report : reports) {
    nlohmann::json peer = {{"peer", report.peer->name()},
                           {"version", report.peer->version()},
                           {"skipped", report.absent},
                           {"roles", nlohmann::json::array()}};
    for (const RoleReport& role : report.roles) peer["roles"].push_back(role_json(role));
    json["peers"].push_back(std::move(peer));
  }
  return json;
}

}  // namespace plumb
