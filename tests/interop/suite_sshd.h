// One sshd for a whole suite: starting one takes longer than most tests.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "interop/sshd_fixture.h"

namespace plumb {

/// The base of a suite that shares a server. `Suite` is the test class itself, so that every suite has its own; it says
/// how the server is started in `static SshdOptions sshd_options()`. Where sshd cannot run, its tests are skipped with
/// the reason; where it should but does not, they fail.
template <class Suite>
class SuiteSshd : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    unavailable_ = SshdFixture::unavailable(Suite::sshd_options());
    if (!unavailable_.empty()) return;
    auto started = SshdFixture::start(Suite::sshd_options());
    if (started)
      sshd_ = std::move(*started);
    else
      failure_ = started.error();
  }
  static void TearDownTestSuite() { sshd_.reset(); }

  void SetUp() override {
    if (!unavailable_.empty()) GTEST_SKIP() << unavailable_;
    ASSERT_NE(sshd_, nullptr) << failure_;
    set_up();
  }

  /// Before each test, with the server running.
  virtual void set_up() {}

  static inline std::unique_ptr<SshdFixture> sshd_;

 private:
  static inline std::string unavailable_, failure_;
};

}  // namespace plumb
