// What --trace calls the messages.
#include "interop/trace_observer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace plumb {
namespace {

/// The name in the line for each of these messages, by turns ours and the peer's.
std::vector<std::string> names(const std::vector<uint8_t>& numbers) {
  TraceObserver observer;
  std::vector<std::string> names;
  for (size_t i = 0; i < numbers.size(); i++) {
    const uint8_t payload[] = {numbers[i]};
    testing::internal::CaptureStderr();
    i % 2 == 0 ? observer.packet_sent(7, payload) : observer.packet_received(7, payload);
    const std::string line = testing::internal::GetCapturedStderr();
    const size_t name = line.find("seq 7") + 10;
    names.push_back(line.substr(name, line.find(' ', name) - name));
  }
  return names;
}

TEST(TraceObserver, NumberThirtyOneIsNamedByItsKeyExchange) {
  EXPECT_THAT(names({20, 20, 34, 31, 32, 33, 21, 21}),
              testing::ElementsAre("KEXINIT", "KEXINIT", "KEX_DH_GEX_REQUEST", "KEX_DH_GEX_GROUP", "KEX_DH_GEX_INIT",
                                   "KEX_DH_GEX_REPLY", "NEWKEYS", "NEWKEYS"));
  EXPECT_THAT(names({34, 31, 20, 20, 30, 31}), testing::ElementsAre("KEX_DH_GEX_REQUEST", "KEX_DH_GEX_GROUP", "KEXINIT",
                                                                    "KEXINIT", "KEX_ECDH_INIT", "KEX_ECDH_REPLY"));
}

}  // namespace
}  // namespace plumb
