// Every message number in every state of a server, against a second, independent list of what a client may send.
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "session/state_table.h"

namespace plumb {
namespace {

constexpr Phase kPhases[] = {Phase::kFirstExchange, Phase::kService, Phase::kAuth, Phase::kRunning};
constexpr PeerStep kSteps[] = {PeerStep::kAny, PeerStep::kKexInit, PeerStep::kGexRequest, PeerStep::kGexInit,
                               PeerStep::kNewKeys};

Verdict verdict(int message, PeerState state) { return judge(static_cast<uint8_t>(message), state, Role::kServer); }

bool within(int message, const std::vector<int>& list) {
  return std::find(list.begin(), list.end(), message) != list.end();
}

std::vector<int> handled(PeerState state) {
  switch (state.step) {
    case PeerStep::kKexInit: return {1, 30};
    case PeerStep::kGexRequest: return {1, 34};
    case PeerStep::kGexInit: return {1, 32};
    case PeerStep::kNewKeys: return {1, 21};
    default: break;
  }
  switch (state.phase) {
    case Phase::kFirstExchange: return {1, 20};
    case Phase::kService: return {1, 5, 7, 20};
    case Phase::kAuth: return {1, 20, 50, 61};
    case Phase::kRunning: break;
  }
  return {1, 20, 80, 81, 82, 90, 91, 92, 93, 94, 95, 96, 97, 98, 99, 100};
}

template <class Check>
void for_every_state(Check check) {
  for (const Phase phase : kPhases) {
    for (const PeerStep step : kSteps) {
      for (const bool strict : {false, true}) check(PeerState{phase, step, strict});
    }
  }
}

TEST(ServerStateTable, C44HandlesExactlyTheMessagesOfEachState) {
  for_every_state([](PeerState state) {
    for (int message = 0; message < 256; message++) {
      EXPECT_EQ(verdict(message, state) == Verdict::kHandle, within(message, handled(state)))
          << "message " << message << " " << describe(state, Role::kServer);
    }
  });
}

TEST(ServerStateTable, C27C35FillersAreIgnoredExceptInAStrictFirstExchange) {
  for_every_state([](PeerState state) {
    for (const int filler : {2, 3, 4}) {
      const bool fatal = state.strict && state.phase == Phase::kFirstExchange && state.step != PeerStep::kAny;
      EXPECT_EQ(verdict(filler, state), fatal ? Verdict::kEnd : Verdict::kIgnore);
    }
  });
}

TEST(ServerStateTable, C44AServersOwnMessagesEndTheConnection) {
  for_every_state([](PeerState state) {
    for (const int message : {6, 31, 33, 51, 52, 53, 60}) EXPECT_EQ(verdict(message, state), Verdict::kEnd) << message;
  });
}

TEST(ServerStateTable, C44ChannelMessagesBeforeAuthenticationEndTheConnection) {
  for (const Phase phase : {Phase::kFirstExchange, Phase::kService, Phase::kAuth}) {
    for (int message = 80; message <= 127; message++)
      EXPECT_EQ(verdict(message, {phase, PeerStep::kAny, false}), Verdict::kEnd) << message;
  }
}

TEST(ServerStateTable, RequestsSentAheadOfSuccessAreIgnored) {
  EXPECT_EQ(verdict(50, {Phase::kRunning, PeerStep::kAny, false}), Verdict::kIgnore);
  EXPECT_EQ(verdict(61, {Phase::kRunning, PeerStep::kAny, false}), Verdict::kEnd);
}

TEST(ServerStateTable, C42ExtInfoCountsBeforeTheService) {
  EXPECT_EQ(verdict(7, {Phase::kFirstExchange, PeerStep::kAny, false}), Verdict::kEnd);
  EXPECT_EQ(verdict(7, {Phase::kAuth, PeerStep::kAny, false}), Verdict::kIgnore);
  EXPECT_EQ(verdict(7, {Phase::kRunning, PeerStep::kAny, false}), Verdict::kIgnore);
}

TEST(ServerStateTable, C26UnknownNumbersAreAnsweredOutsideOfAnExchange) {
  for (const int message : {192, 200, 255, 128, 101, 83, 89, 8, 19, 22, 0})
    EXPECT_EQ(verdict(message, {Phase::kRunning, PeerStep::kAny, true}), Verdict::kUnimplemented) << message;
  for (const int message : {192, 255, 62, 79, 8})
    EXPECT_EQ(verdict(message, {Phase::kAuth, PeerStep::kAny, true}), Verdict::kUnimplemented) << message;
}

}  // namespace
}  // namespace plumb
