// The interop matrix: every algorithm that a peer and we have in common, met on a real connection and judged by what
// was agreed and by the data that came back.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <tl/expected.hpp>
#include <vector>

#include "interop/expectations.h"
#include "interop/matrix_cases.h"
#include "interop/meeting.h"
#include "interop/offer.h"
#include "interop/peer.h"

namespace plumb {

enum class Verdict : uint8_t {
  kPassed,
  kFailed,
  kKnown,    ///< failed, as an expectation says
  kGoneOff,  ///< passed, though an expectation says that it fails: "no longer needed"
};

struct CaseResult {
  MatrixCase test;
  Verdict verdict = Verdict::kFailed;
  Judgement judgement;
  Meeting meeting;
  const Expectation* expectation = nullptr;  ///< that covers the case
  double seconds = 0;
};

/// One peer in one role.
struct RoleReport {
  std::string role;  ///< the peer's: "server", "client"
  Offer offer;
  Common common;
  std::vector<CaseResult> results;               ///< in the order of the cases
  std::vector<const Expectation*> without_case;  ///< that cover nothing: "no longer needed"
  std::string error;                             ///< why there are no results; empty if there are

  size_t count(Verdict verdict) const;
  bool as_expected() const;
};

struct PeerReport {
  const Peer* peer = nullptr;
  std::string absent;  ///< why it was not met; then there are no roles
  std::vector<RoleReport> roles;
};

/// Called between cases from one thread at a time.
using MatrixProgress = std::function<void(const Peer& peer, std::string_view role, size_t done, size_t of)>;

/// Meets one peer in each of its roles, two cases at a time. `expectations` must outlive the report.
PeerReport run_matrix(const Peer& peer, std::span<const Expectation> expectations, const MatrixProgress& progress);

}  // namespace plumb
