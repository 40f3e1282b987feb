// Test vectors that the project always has, as text files in tests/vectors/.
//
//   # source: RFC 8439 §2.3.2
//   KEY = 00 01 02 03
//   PLAIN = "text as bytes"
//   MESSAGE = aa*131 bb
//
// `NAME = value` lines form a block, blank lines part the blocks, # starts a comment line, an indented line continues
// the value before it. A byte value is a row of hex groups and quoted texts; a hex group may end in *N, which repeats
// it. Every attribute must be asked for: a vector whose attribute nobody reads proves less than it says, so it fails
// the test.
#pragma once

#include <cstdint>
#include <functional>
#include <iosfwd>
#include <string>
#include <string_view>
#include <vector>

namespace plumb::testing {

/// One block of a vector file.
class Vector {
 public:
  /// `where` is "file:line" of the first line, for messages.
  explicit Vector(std::string where) : where_(std::move(where)) {}

  const std::string& where() const { return where_; }
  bool has(std::string_view name) const;

  /// The value as it is written. A missing attribute fails the test and gives an empty value, here and below.
  std::string text(std::string_view name);
  std::vector<uint8_t> bytes(std::string_view name);

  /// Decimal, or hexadecimal after 0x.
  uint64_t number(std::string_view name);

 private:
  friend class VectorFileParser;
  struct Attribute {
    std::string name;
    std::string value;
    bool consumed = false;
  };
  std::string where_;
  std::vector<Attribute> attributes_;
};

/// Calls `body` for each block of `tests/vectors/<file>`, with the block's place in every failure message. Fails the
/// test if the file is missing, malformed or without a block, and if a block has an attribute that `body` did not read.
void for_each_vector(std::string_view file, const std::function<void(Vector&)>& body);

/// The same for a stream; `name` stands in messages.
void for_each_vector(std::istream& stream, std::string_view name, const std::function<void(Vector&)>& body);

/// Parses the byte notation above. Fails the test on anything else.
std::vector<uint8_t> parse_vector_bytes(std::string_view value);

}  // namespace plumb::testing
