// Known deviations of peers: cases of the matrix that fail for a reason that is not ours. One that has gone is
// reported, so that the list never outlives what it says.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <vector>

namespace plumb {

/// One line of interop/expectations.txt: `peer role case-pattern : reason`. A pattern is a name as MatrixCase gives it,
/// with `*` for any characters and `?` for one.
struct Expectation {
  std::string peer;
  std::string role;  ///< the peer's: "server", "client"
  std::string pattern;
  std::string reason;
  size_t line = 0;  ///< from 1

  bool covers(std::string_view peer_name, std::string_view role_name, const std::string& case_name) const;
};

/// Lines that are empty or begin with `#` are left out. The error names the line and says what is wrong with it.
tl::expected<std::vector<Expectation>, std::string> parse_expectations(std::string_view text);

/// The first that covers the case, or nullptr.
const Expectation* find_expectation(std::span<const Expectation> expectations, std::string_view peer,
                                    std::string_view role, const std::string& case_name);

/// interop/expectations.txt as it was when the program was built.
std::string_view known_expectations();

}  // namespace plumb
