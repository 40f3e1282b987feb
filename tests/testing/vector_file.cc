#include "tests/testing/vector_file.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <charconv>
#include <fstream>
#include <istream>

#include "core/bytes.h"
#include "core/encoding.h"

namespace plumb::testing {
namespace {

std::string_view trim(std::string_view text) {
  const size_t first = text.find_first_not_of(" \t\r");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

}  // namespace

class VectorFileParser {
 public:
  VectorFileParser(std::string file, const std::function<void(Vector&)>& body) : file_(std::move(file)), body_(body) {}

  void line(std::string_view text) {
    number_++;
    const bool indented = text.starts_with(' ') || text.starts_with('\t');
    text = trim(text);
    if (text.empty()) return end_block();
    if (indented && !block_.attributes_.empty()) {
      block_.attributes_.back().value.append(1, ' ').append(text);
      return;
    }
    if (text[0] == '#') return;
    const size_t equals = text.find('=');
    if (equals == std::string_view::npos) {
      ADD_FAILURE() << place() << ": neither NAME = value nor a comment: " << text;
      return;
    }
    if (block_.attributes_.empty()) block_.where_ = place();
    const std::string name(trim(text.substr(0, equals)));
    if (block_.has(name)) {
      ADD_FAILURE() << place() << ": " << name << " stands twice in one block";
      return;
    }
    block_.attributes_.push_back({name, std::string(trim(text.substr(equals + 1)))});
  }

  void end_block() {
    if (block_.attributes_.empty()) return;
    blocks_++;
    {
      SCOPED_TRACE(block_.where_);
      body_(block_);
    }
    for (const Vector::Attribute& attribute : block_.attributes_) {
      if (!attribute.consumed) ADD_FAILURE() << block_.where_ << ": the test never read " << attribute.name;
    }
    block_ = Vector("");
  }

  size_t blocks() const { return blocks_; }

 private:
  std::string place() const { return file_ + ":" + std::to_string(number_); }

  std::string file_;
  const std::function<void(Vector&)>& body_;
  Vector block_{""};
  size_t number_ = 0;
  size_t blocks_ = 0;
};

bool Vector::has(std::string_view name) const {
  return std::any_of(attributes_.begin(), attributes_.end(), [&](const Attribute& a) { return a.name == name; });
}

std::string Vector::text(std::string_view name) {
  for (Attribute& attribute : attributes_) {
    if (attribute.name != name) continue;
    attribute.consumed = true;
    return attribute.value;
  }
  ADD_FAILURE() << where_ << ": no attribute " << name;
  return {};
}

std::vector<uint8_t> Vector::bytes(std::string_view name) { return parse_vector_bytes(text(name)); }

uint64_t Vector::number(std::string_view name) {
  const std::string value = text(name);
  const bool hex = value.starts_with("0x");
  const char* first = value.data() + (hex ? 2 : 0);
  const char* last = value.data() + value.size();
  uint64_t number = 0;
  const auto [end, error] = std::from_chars(first, last, number, hex ? 16 : 10);
  if (error != std::errc() || end != last) ADD_FAILURE() << where_ << ": " << name << " is not a number: " << value;
  return number;
}

std::vector<uint8_t> parse_vector_bytes(std::string_view value) {
  std::vector<uint8_t> bytes;
  for (value = trim(value); !value.empty(); value = trim(value)) {
    if (value[0] == '"') {
      const size_t end = value.find('"', 1);
      if (end == std::string_view::npos) {
        ADD_FAILURE() << "quoted text without its end: " << value;
        return bytes;
      }
      const Bytes text = as_bytes(value.substr(1, end - 1));
      bytes.insert(bytes.end(), text.begin(), text.end());
      value.remove_prefix(end + 1);
      continue;
    }
    std::string_view group = value.substr(0, value.find_first_of(" \t"));
    value.remove_prefix(group.size());
    size_t times = 1;
    if (const size_t star = group.find('*'); star != std::string_view::npos) {
      const auto [end, error] = std::from_chars(group.data() + star + 1, group.data() + group.size(), times);
      if (error != std::errc() || end != group.data() + group.size()) ADD_FAILURE() << "bad repeat count: " << group;
      group = group.substr(0, star);
    }
    const auto parsed = from_hex(group);
    if (!parsed) {
      ADD_FAILURE() << group << ": " << parsed.error().text;
      return bytes;
    }
    while (times-- > 0) bytes.insert(bytes.end(), parsed->begin(), parsed->end());
  }
  return bytes;
}

void for_each_vector(std::string_view file, const std::function<void(Vector&)>& body) {
  const std::string path = std::string(PLUMB_TEST_VECTORS) + "/" + std::string(file);
  std::ifstream stream(path);
  if (!stream) {
    ADD_FAILURE() << path << ": cannot be read";
    return;
  }
  for_each_vector(stream, file, body);
}

void for_each_vector(std::istream& stream, std::string_view name, const std::function<void(Vector&)>& body) {
  VectorFileParser parser{std::string(name), body};
  for (std::string line; std::getline(stream, line);) parser.line(line);
  parser.end_block();
  if (parser.blocks() == 0) ADD_FAILURE() << name << ": holds no vector";
}

}  // namespace plumb::testing
