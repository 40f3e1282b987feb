// The matrix for people and as JSON.
#pragma once

#include <cstdio>
#include <nlohmann/json.hpp>
#include <span>

#include "interop/matrix.h"

namespace plumb {

/// One line of counts for each role, and one for each case that did not pass.
void print_report(FILE* out, const PeerReport& report, bool color);

/// {"schema": "plumb.interop_matrix/1", "environment": …, "peers": […]}.
nlohmann::json matrix_json(std::span<const PeerReport> reports);

}  // namespace plumb
