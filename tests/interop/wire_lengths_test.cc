// C6: failures that show only for certain payload lengths. Each length goes to `cat` and back on one connection, every
// reply compared, for every cipher and MAC.
#include <gtest/gtest.h>
#include <unistd.h>

#include <numeric>
#include <thread>

#include "interop/fixture_client.h"
#include "session/policy.h"
#include "tests/interop/wire.h"

namespace plumb {
namespace {

std::vector<size_t> swept_lengths() {
  std::vector<size_t> lengths;
  const auto add = [&lengths](size_t first, size_t last) {
    for (size_t n = first; n <= last; ++n) lengths.push_back(n);
  };
  add(1, 600);
  add(1008, 1040);
  add(16368, 16400);
  add(32752, 32784);
  return lengths;
}

/// Reads exactly `size` bytes; fewer at the end of file.
std::vector<uint8_t> read_exactly(int fd, size_t size) {
  std::vector<uint8_t> data(size);
  size_t filled = 0;
  while (filled < size) {
    const ssize_t n = read(fd, data.data() + filled, size - filled);
    if (n <= 0) break;
    filled += static_cast<size_t>(n);
  }
  data.resize(filled);
  return data;
}

class WireLengths : public testing::TestWithParam<WirePair> {};

TEST_P(WireLengths, C6EveryPayloadLengthComesBack) {
  PLUMB_START_SSHD(sshd, only(GetParam()));
  const auto client = FixtureClient::make(sshd);
  ASSERT_TRUE(client) << client.error();
  int to_us[2];
  int from_us[2];
  ASSERT_EQ(pipe(to_us), 0);
  ASSERT_EQ(pipe(from_us), 0);
  ExecRequest request = client->request("cat");
  request.config.algorithms = *make_algorithms(GetParam().legacy() ? Policy::kLegacy : Policy::kDefault);
  request.input_fd = from_us[0];
  request.output_fd = to_us[1];
  ExecOutcome outcome;
  std::thread runner([&] {
    outcome = run_exec(request);
    close(to_us[1]);
    close(from_us[0]);
  });

  std::vector<uint8_t> message;
  for (size_t length : swept_lengths()) {
    message.resize(length);
    std::iota(message.begin(), message.end(), static_cast<uint8_t>(length));
    const bool sent = write(from_us[1], message.data(), length) == static_cast<ssize_t>(length);
    const std::vector<uint8_t> echo = read_exactly(to_us[0], length);
    EXPECT_TRUE(sent && echo == message) << "length " << length << ", echoed " << echo.size();
    if (echo != message) break;
  }
  close(from_us[1]);
  runner.join();
  close(to_us[0]);
  EXPECT_EQ(outcome.stage, ExecOutcome::Stage::kDone) << outcome.error_detail;
  EXPECT_TRUE(outcome.exited);
  EXPECT_EQ(outcome.exit_status, 0u);
}

INSTANTIATE_TEST_SUITE_P(Table, WireLengths, testing::ValuesIn(all_pairs()),
                         [](const auto& param) { return test_name(param.param); });

}  // namespace
}  // namespace plumb
