// Every fault of the table gets the answer from OpenSSH that the table says.
#include "interop/reproduce.h"

#include <gtest/gtest.h>

#include "interop/diagnose.h"
#include "interop/sshd_fixture.h"

namespace plumb {
namespace {

TEST(Reproduce, OpenSshAnswersEveryFaultAsTheTableSays) {
  if (const std::string why = SshdFixture::unavailable(); !why.empty()) GTEST_SKIP() << why;
  std::vector<const Fault*> all;
  for (const Fault& fault : faults()) all.push_back(&fault);
  const auto rows = reproduce(all);
  ASSERT_TRUE(rows) << rows.error();
  size_t without_fault = 0;
  for (const Reproduction& row : *rows) {
    without_fault += row.fault == nullptr ? 1 : 0;
    EXPECT_TRUE(row.as_expected) << (row.fault != nullptr ? row.fault->name : row.cipher) << ": must answer "
                                 << row.expected << ", answered " << row.answer << "; we: " << row.outcome.error_detail;
  }
  EXPECT_EQ(rows->size() - without_fault, faults().size());
  EXPECT_EQ(without_fault, 4u);
}

TEST(Reproduce, AFaultThatIsNoneIsNotAsExpected) {
  if (const std::string why = SshdFixture::unavailable(); !why.empty()) GTEST_SKIP() << why;
  Fault none = *find_fault("padding-counts-length");
  none.hooks = {};
  const auto rows = reproduce({&none});
  ASSERT_TRUE(rows) << rows.error();
  ASSERT_EQ(rows->size(), 2u);
  EXPECT_TRUE((*rows)[0].as_expected);
  EXPECT_FALSE((*rows)[1].as_expected);
  EXPECT_NE((*rows)[1].answer.find("logged in"), std::string::npos) << (*rows)[1].answer;
}

TEST(Diagnose, FindsTheLineThatSaysMost) {
  const auto finding = diagnose(
      "debug1: SSH2_MSG_NEWKEYS sent [preauth]\r\n"
      "padding error: need 28 block 8 mod 4 [preauth]\r\n"
      "ssh_dispatch_run_fatal: Connection from 127.0.0.1 port 1: Connection corrupted [preauth]\r\n");
  ASSERT_TRUE(finding);
  EXPECT_EQ(finding->line, "padding error: need 28 block 8 mod 4 [preauth]");
  EXPECT_EQ(finding->diagnosis->layer, "framing");
  EXPECT_FALSE(diagnose("Server listening on 127.0.0.1 port 22.\n"));
}

/// What OpenSSH says of each fault is explained by the other table too.
TEST(Diagnose, KnowsEveryAnswerOfTheFaultsTable) {
  for (const Fault& fault : faults()) {
    if (fault.judge != Fault::Judge::kServerLog) continue;
    bool known = false;
    for (const Diagnosis& d : diagnoses()) known |= fault.expected.pattern.find(d.pattern) != std::string_view::npos;
    EXPECT_TRUE(known || diagnose(std::string(fault.expected.words))) << fault.name;
  }
}

}  // namespace
}  // namespace plumb
