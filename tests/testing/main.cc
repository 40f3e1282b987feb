// The main function of every test program: GoogleTest's, plus one rule. A run that executed nothing fails, so that a
// mistyped filter or a lost table cannot look like success. Skipped tests count as executed: they are visible.
#include <gtest/gtest.h>

#include <cstdio>

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  if (testing::GTEST_FLAG(list_tests)) return RUN_ALL_TESTS();
  const int failed = RUN_ALL_TESTS();
  if (testing::UnitTest::GetInstance()->test_to_run_count() > 0) return failed;
  std::fprintf(stderr, "no test was executed\n");
  return 1;
}
