// Vectors of the Wycheproof project (github.com/C2SP/wycheproof, testvectors_v1), read from the folder
// `$PLUMB_VECTORS/wycheproof`. Where the variable is unset, the calling test is skipped, visibly.
#pragma once

#include <cstdint>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace plumb::testing {

/// One test of a Wycheproof file. Valid during the call that it is passed to.
class WycheproofCase {
 public:
  enum class Expected { kValid, kInvalid, kAcceptable };

  WycheproofCase(const nlohmann::json& group, const nlohmann::json& test) : group_(group), test_(test) {}

  const nlohmann::json& group() const { return group_; }
  const nlohmann::json& test() const { return test_; }

  int id() const;
  Expected expected() const;
  bool valid() const { return expected() == Expected::kValid; }
  std::string comment() const;
  bool has_flag(std::string_view flag) const;

  /// A hex field of the test (`bytes`) or of its group (`group_bytes`). A missing field fails the test.
  std::vector<uint8_t> bytes(const char* field) const;
  std::vector<uint8_t> group_bytes(const char* field) const;

  /// "tcId 17 (comment; flags: A B)", for failure messages.
  std::string describe() const;

 private:
  const nlohmann::json& group_;
  const nlohmann::json& test_;
};

/// Calls `body` for every test of `file`, with its description in every failure message. Marks the running test as
/// skipped if PLUMB_VECTORS is unset, so make it the last statement of a test. Fails the test if the file cannot be
/// read or does not hold as many tests as it claims.
void for_each_wycheproof(std::string_view file, const std::function<void(const WycheproofCase&)>& body);

}  // namespace plumb::testing
