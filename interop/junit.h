// The matrix as JUnit XML, which continuous-integration services show case by case.
#pragma once

#include <span>
#include <string>

#include "interop/matrix.h"

namespace plumb {

/// One test suite for each peer and role; a peer that is absent is a suite with one skipped case.
std::string junit_xml(std::span<const PeerReport> reports);

}  // namespace plumb
