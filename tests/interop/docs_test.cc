// docs/interop.md is written by hand from the tables: every line of theirs must be there, and of every field case the
// suites whose tests name it.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
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

/// By case, room and suite. Cases are named in tests: "C8C33RekeysOver200Times", "C12_PartialPackets".
using Coverage = std::map<int, std::map<std::string, std::set<std::string>>>;

Coverage coverage_by_tests() {
  const std::regex test("TEST(?:_F|_P)?\\(\\s*(\\w+),\\s*((?:C\\d+_?)+)");
  const std::regex number("C(\\d+)");
  const fs::path tests = fs::path(PLUMB_SOURCE_DIR) / "tests";
  Coverage coverage;
  for (const auto& entry : fs::recursive_directory_iterator(tests)) {
    if (entry.path().extension() != ".cc") continue;
    const std::string room = entry.path().lexically_relative(tests).begin()->string();
    const std::string text = text_of(entry.path());
    for (std::sregex_iterator found(text.begin(), text.end(), test), end; found != end; ++found) {
      const std::string names = (*found)[2];
      for (std::sregex_iterator n(names.begin(), names.end(), number); n != end; ++n)
        coverage[std::stoi((*n)[1])][room].insert((*found)[1]);
    }
  }
  return coverage;
}

/// "packet: `Malformed`, `PacketReader`; session: `Handshake`", as the page has it.
std::string as_cell(const std::map<std::string, std::set<std::string>>& rooms) {
  std::string cell;
  for (const auto& [room, suites] : rooms) {
    cell += (cell.empty() ? "" : "; ") + room + ": ";
    for (const std::string& suite : suites) cell += (suite == *suites.begin() ? "`" : ", `") + suite + "`";
  }
  return cell.empty() ? "not yet" : cell;
}

/// The row of a case, without its number and what went wrong.
std::string cell_of(int number) {
  const std::string head = "| C" + std::to_string(number) + " | ";
  const size_t row = page().find(head);
  if (row == std::string::npos) return {};
  const std::string line = page().substr(row, page().find('\n', row) - row);
  const size_t cell = line.find(" | ", head.size()) + 3;
  return line.substr(cell, line.size() - cell - std::string_view(" |").size());
}

// A test with the number of a case in its name, added, renamed or taken away, is a change of the table.
TEST(InteropDocs, FieldCasesNameExactlyTheSuitesThatCoverThem) {
  const Coverage coverage = coverage_by_tests();
  for (const auto& [number, rooms] : coverage)
    EXPECT_EQ(cell_of(number), as_cell(rooms)) << "docs/interop.md, the row of C" << number;
  constexpr int kLastOfKeys = 50;  // cases of ciphers, packets, key exchange, keys and their files: all are covered
  for (int number = 1; number <= kLastOfKeys; number++) EXPECT_TRUE(coverage.contains(number)) << "C" << number;
  for (int number = 1; number < 100; number++) {
    if (coverage.contains(number) || cell_of(number).empty()) continue;
    EXPECT_EQ(cell_of(number), "not yet") << "docs/interop.md, the row of C" << number;
  }
}

}  // namespace
}  // namespace plumb
