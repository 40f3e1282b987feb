// The judges judged: apparatus that cannot fail would make every test that uses it worthless.
#include <gtest/gtest-spi.h>
#include <gtest/gtest.h>

#include <sstream>
#include <string>

#include "core/encoding.h"
#include "tests/testing/guarded_buffer.h"
#include "tests/testing/seeded_random.h"
#include "tests/testing/vector_file.h"
#include "tests/testing/wycheproof.h"

namespace plumb::testing {
namespace {

void read(const std::string& text, const std::function<void(Vector&)>& body) {
  std::istringstream stream(text);
  for_each_vector(stream, "sample", body);
}

void read_key_only(const std::string& text) {
  read(text, [](Vector& vector) { vector.bytes("KEY"); });
}

TEST(VectorFile, GivesEachBlockItsAttributes) {
  std::string seen;
  read("# comment\nKEY = 00 01\n  02*2\nCOUNT = 0x10\n\n\n# another\nKEY = \"a b\" ff\nCOUNT = 7\n",
       [&](Vector& vector) {
         seen +=
             vector.where() + " " + to_hex(vector.bytes("KEY")) + " " + std::to_string(vector.number("COUNT")) + ";";
       });
  EXPECT_EQ(seen, "sample:2 00010202 16;sample:8 612062ff 7;");
}

TEST(VectorFile, AnAttributeThatNobodyReadsFails) {
  EXPECT_NONFATAL_FAILURE(read_key_only("KEY = 00\nTAG = 01\n"), "sample:1: the test never read TAG");
}

TEST(VectorFile, AMissingAttributeFails) {
  EXPECT_NONFATAL_FAILURE(read("TAG = 00\n",
                               [](Vector& vector) {
                                 vector.bytes("TAG");
                                 vector.bytes("KEY");
                               }),
                          "sample:1: no attribute KEY");
}

TEST(VectorFile, AFileWithoutVectorsFails) {
  EXPECT_NONFATAL_FAILURE(read_key_only("# nothing\n\n"), "holds no vector");
  EXPECT_NONFATAL_FAILURE(for_each_vector("no such file", [](Vector&) {}), "cannot be read");
}

TEST(VectorFile, MalformedLinesAndValuesFail) {
  EXPECT_NONFATAL_FAILURE(read_key_only("KEY = 00\nnonsense\n"), "neither NAME = value nor a comment");
  EXPECT_NONFATAL_FAILURE(read_key_only("KEY = 00\nKEY = 01\n"), "stands twice");
  EXPECT_NONFATAL_FAILURE(parse_vector_bytes("0g"), "not a hex digit");
  EXPECT_NONFATAL_FAILURE(parse_vector_bytes("00*x"), "bad repeat count");
  EXPECT_NONFATAL_FAILURE(parse_vector_bytes("\"open"), "without its end");
  EXPECT_NONFATAL_FAILURE(read("KEY = 12z\n", [](Vector& vector) { vector.number("KEY"); }), "not a number");
}

TEST(Wycheproof, UnknownResultsAndMissingFieldsFail) {
  const nlohmann::json test = {{"tcId", 3}, {"comment", "odd"}, {"flags", {"A", "B"}}, {"result", "perhaps"}};
  const nlohmann::json group = {{"key", "00ff"}};
  const WycheproofCase one(group, test);
  EXPECT_EQ(one.describe(), "tcId 3 (odd; flags: A B)");
  EXPECT_TRUE(one.has_flag("B"));
  EXPECT_FALSE(one.has_flag("C"));
  EXPECT_EQ(to_hex(one.group_bytes("key")), "00ff");
  EXPECT_NONFATAL_FAILURE(one.expected(), "unknown result: perhaps");
  EXPECT_NONFATAL_FAILURE(one.bytes("key"), "no hex field key");
}

TEST(GuardedBufferDeathTest, OneByteTooFarIsACrash) {
  for (size_t size : {size_t{0}, size_t{1}, size_t{4095}, size_t{4096}, size_t{4097}}) {
    GuardedBuffer after(size);
    GuardedBuffer before(size, GuardedBuffer::Guard::kBefore);
    std::ranges::fill(after.bytes(), uint8_t{1});
    std::ranges::fill(before.bytes(), uint8_t{1});
    volatile uint8_t* behind = after.data() + size;
    volatile uint8_t* ahead = before.data();
    EXPECT_DEATH(*behind = 1, "");
    EXPECT_DEATH(*(ahead - 1) = 1, "");
  }
}

TEST(SeededRandom, TheSameSeedGivesTheSameBytes) {
  SeededRandom a(7), b(7), c(8);
  const auto first = a.bytes(100);
  EXPECT_EQ(first, b.bytes(100));
  EXPECT_NE(first, c.bytes(100));
  for (int i = 0; i < 1000; i++) EXPECT_LT(a.below(3), 3u);
}

void fail_within(SeededRandom&) { ADD_FAILURE() << "something"; }

TEST(SeededRandom, AFailureNamesTheSeed) {
  EXPECT_NONFATAL_FAILURE(
      {
        SeededRandom random(4711);
        fail_within(random);
      },
      "PLUMB_SEED=4711");
}

}  // namespace
}  // namespace plumb::testing
