// Every message number in every state against a second, independent list of what is legal.
#include "session/state_table.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace plumb {
namespace {

constexpr Phase kPhases[] = {Phase::kFirstExchange, Phase::kService, Phase::kAuth, Phase::kRunning};
constexpr PeerStep kSteps[] = {PeerStep::kAny, PeerStep::kKexReply, PeerStep::kGexGroup, PeerStep::kGexReply,
                               PeerStep::kNewKeys};

Verdict verdict(int message, PeerState state) { return judge(static_cast<uint8_t>(message), state, Role::kClient); }

bool within(int message, std::vector<int> list) { return std::find(list.begin(), list.end(), message) != list.end(); }

std::vector<int> range(int first, int last) {
  std::vector<int> numbers;
  for (int i = first; i <= last; i++) numbers.push_back(i);
  return numbers;
}

// The numbers that a server may meaningfully send, per state.
std::vector<int> handled(PeerState state) {
  if (state.step == PeerStep::kKexReply || state.step == PeerStep::kGexGroup) return {1, 31};
  if (state.step == PeerStep::kGexReply) return {1, 33};
  if (state.step == PeerStep::kNewKeys) return {1, 21};
  switch (state.phase) {
    case Phase::kFirstExchange: return {1, 20};
    case Phase::kService: return {1, 6, 7, 20};
    case Phase::kAuth: return {1, 7, 20, 51, 52, 53, 60};
    case Phase::kRunning: break;
  }
  std::vector<int> running = range(90, 100);
  running.insert(running.end(), {1, 20, 80, 81, 82});
  return running;
}

TEST(StateTable, C44HandlesExactlyTheMessagesOfEachState) {
  for (const Phase phase : kPhases) {
    for (const PeerStep step : kSteps) {
      for (const bool strict : {false, true}) {
        const PeerState state{phase, step, strict};
        for (int message = 0; message < 256; message++) {
          const bool due = within(message, handled(state));
          EXPECT_EQ(verdict(message, state) == Verdict::kHandle, due)
              << "message " << message << " " << describe(state, Role::kClient);
        }
      }
    }
  }
}

TEST(StateTable, C27C35FillersAreIgnoredExceptInAStrictFirstExchange) {
  for (const Phase phase : kPhases) {
    for (const PeerStep step : kSteps) {
      for (const bool strict : {false, true}) {
        for (const int filler : {2, 3, 4}) {
          const bool fatal = strict && phase == Phase::kFirstExchange && step != PeerStep::kAny;
          EXPECT_EQ(verdict(filler, {phase, step, strict}), fatal ? Verdict::kEnd : Verdict::kIgnore);
        }
      }
    }
  }
}

TEST(StateTable, C44ClientsOwnMessagesEndTheConnection) {
  for (const Phase phase : kPhases) {
    for (const PeerStep step : kSteps) {
      for (const int message : {5, 30, 50}) EXPECT_EQ(verdict(message, {phase, step, false}), Verdict::kEnd);
    }
  }
}

TEST(StateTable, C26UnknownNumbersAreAnsweredOutsideOfAnExchange) {
  for (const int message : {192, 200, 255, 128, 101, 83, 89, 8, 19, 22, 0})
    EXPECT_EQ(verdict(message, {Phase::kRunning, PeerStep::kAny, true}), Verdict::kUnimplemented) << message;
  for (const int message : {192, 255, 62, 79, 8})
    EXPECT_EQ(verdict(message, {Phase::kAuth, PeerStep::kAny, true}), Verdict::kUnimplemented) << message;
}

TEST(StateTable, C37NothingOfTheUpperLayersPassesDuringAnExchange) {
  for (const Phase phase : kPhases) {
    for (const PeerStep step : kSteps) {
      if (step == PeerStep::kAny) continue;
      for (int message = 50; message < 256; message++)
        EXPECT_EQ(verdict(message, {phase, step, false}), Verdict::kEnd) << message;
      for (const int message : {5, 6, 7, 20}) EXPECT_EQ(verdict(message, {phase, step, false}), Verdict::kEnd);
    }
  }
}

TEST(StateTable, C44ChannelMessagesBeforeAuthenticationEndTheConnection) {
  for (const Phase phase : {Phase::kFirstExchange, Phase::kService, Phase::kAuth}) {
    for (int message = 80; message <= 127; message++)
      EXPECT_EQ(verdict(message, {phase, PeerStep::kAny, false}), Verdict::kEnd) << message;
  }
  for (int message = 50; message < 80; message++)
    EXPECT_EQ(verdict(message, {Phase::kRunning, PeerStep::kAny, false}), Verdict::kEnd) << message;
}

TEST(StateTable, C42ExtInfoAfterAuthenticationHasNoEffect) {
  EXPECT_EQ(verdict(7, {Phase::kRunning, PeerStep::kAny, false}), Verdict::kIgnore);
  EXPECT_EQ(verdict(7, {Phase::kFirstExchange, PeerStep::kAny, false}), Verdict::kEnd);
}

}  // namespace
}  // namespace plumb
