// docs/interop.md is written by hand from the tables: every line of theirs must be there, and every field case that a
// test names.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <set>

#include "interop/diagnose.h"
#include "interop/faults.h"

namespace plumb {
namespace {

namespace fs = std::filesystem;

std::string text_of(const fs::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

const std::string& page() {
  static const std::string text = text_of(fs::path(PLUMB_SOURCE_DIR) / "docs/interop.md");
  return text;
}

TEST(InteropDocs, ListEveryFaultWithItsAnswer) {
  for (const Fault& fault : faults()) {
    const size_t row = page().find("| `" + std::string(fault.name) + "` |");
    ASSERT_NE(row, std::string::npos) << fault.name;
    const std::string line = page().substr(row, page().find('\n', row) - row);
    EXPECT_NE(line.find(fault.expected.words), std::string::npos) << line;
  }
}

TEST(InteropDocs, ListEveryDiagnosis) {
  for (const Diagnosis& d : diagnoses()) {
    EXPECT_NE(page().find("| `" + std::string(d.words) + "` | " + std::string(d.layer) + " |"), std::string::npos)
        << d.words;
  }
}

/// Cases are named in tests: "C8C33RekeysOver200Times", "C12_PartialPackets".
std::set<int> cases_named_by_tests() {
  const std::regex test("TEST(?:_F|_P)?\\(\\s*\\w+,\\s*((?:C\\d+_?)+)");
  const std::regex number("C(\\d+)");
  std::set<int> cases;
  for (const auto& entry : fs::recursive_directory_iterator(fs::path(PLUMB_SOURCE_DIR) / "tests")) {
    if (entry.path().extension() != ".cc") continue;
    const std::string text = text_of(entry.path());
    for (std::sregex_iterator found(text.begin(), text.end(), test), end; found != end; ++found) {
      const std::string names = (*found)[1];
      for (std::sregex_iterator n(names.begin(), names.end(), number); n != end; ++n) cases.insert(std::stoi((*n)[1]));
    }
  }
  return cases;
}

TEST(InteropDocs, ListEveryFieldCaseThatATestNames) {
  const std::set<int> cases = cases_named_by_tests();
  EXPECT_GT(cases.size(), 20u);
  for (int number : cases) {
    EXPECT_NE(page().find("| C" + std::to_string(number) + " |"), std::string::npos) << "C" << number;
  }
}

}  // namespace
}  // namespace plumb
