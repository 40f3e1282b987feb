// Channels and their multiplexer, message by message.
#include "channels/mux.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "core/wire.h"
#include "tests/channels/recording_out.h"

namespace plumb::testing {
namespace {

constexpr uint32_t kWindow = 1000000;
constexpr uint32_t kPacket = 32768;
constexpr ChannelGrant kGrant{.window = kWindow, .max_packet = kPacket, .window_limit = kWindow};
constexpr uint32_t kPeerId = 77;

class MuxTest : public ::testing::Test {
 protected:
  // What the peer's message leads to; its payload lives until the next.
  template <class M>
  Result<ChannelEvent> take(const M& message) {
    payload_ = to_payload(message);
    return mux_.handle(payload_, now_);
  }
  template <class E, class M>
  E expect(const M& message) {
    const Result<ChannelEvent> told = take(message);
    EXPECT_TRUE(told) << (told ? "" : told.error().text);
    EXPECT_TRUE(told && std::holds_alternative<E>(*told));
    return told && std::holds_alternative<E>(*told) ? std::get<E>(*told) : E{};
  }
  template <class M>
  void expect_nothing(const M& message) {
    expect<std::monostate>(message);
  }
  template <class M>
  void expect_breach(const M& message) {
    const Result<ChannelEvent> told = take(message);
    ASSERT_FALSE(told);
    EXPECT_EQ(told.error().code, ErrorCode::kProtocol);
  }

  ChannelId open(uint32_t window = kWindow, uint32_t max_packet = kPacket) {
    const ChannelId id = mux_.open(open::Session{}, now_);
    expect<event::ChannelOpened>(confirmation(id, window, max_packet));
    out_.sent.clear();
    return id;
  }
  static ChannelOpenConfirmation confirmation(ChannelId id, uint32_t window, uint32_t max_packet) {
    return {.recipient = id, .sender = kPeerId, .window = window, .max_packet = max_packet, .rest = {}};
  }
  static ChannelRequest request(ChannelId id, std::string_view name, bool want_reply, Bytes rest = {}) {
    return {.recipient = id, .request = name, .want_reply = want_reply, .rest = rest};
  }

  void exec(ChannelId id, std::string_view command) {
    mux_.request(id, request::Exec::kName, to_body(request::Exec{command}), true);
  }

  size_t write(ChannelId id, size_t want) {
    const MutBytes space = mux_.begin_data(id, want);
    std::fill(space.begin(), space.end(), 'd');
    if (!space.empty()) mux_.commit_data(id, space.size());
    return space.size();
  }

  template <class M>
  M last() {
    PLUMB_CHECK(!out_.sent.empty());
    const Result<M> message = parse_message<M>(out_.sent.back());
    PLUMB_CHECK(message);
    return *message;
  }

  Time now_{};
  RecordingOut out_;
  Mux mux_{{.grant = kGrant}, out_};
  std::vector<uint8_t> payload_;
};

TEST_F(MuxTest, OpensSessionsWithOurWindowAndPacket) {
  EXPECT_EQ(mux_.open(open::Session{}, now_), 0u);
  const ChannelOpen open = last<ChannelOpen>();
  EXPECT_EQ(open.type, "session");
  EXPECT_EQ(open.sender, 0u);
  EXPECT_EQ(open.window, kWindow);
  EXPECT_EQ(open.max_packet, kPacket);
  EXPECT_EQ(mux_.open(open::Session{}, now_), 1u);
}

TEST_F(MuxTest, C63ARefusedOpenIsToldAndForgotten) {
  const ChannelId other = open();
  const ChannelId id = mux_.open(open::Session{}, now_);
  const auto failed = expect<event::ChannelOpenFailed>(ChannelOpenFailure{id, 4, "no more sessions", ""});
  EXPECT_EQ(failed.reason, 4u);
  EXPECT_EQ(failed.description, "no more sessions");
  EXPECT_EQ(mux_.channels(), 1u);
  EXPECT_TRUE(mux_.begin_data(id, 1).empty());
  EXPECT_FALSE(mux_.begin_data(other, 1).empty());
}

TEST_F(MuxTest, ExecAsksForAReply) {
  const ChannelId id = open();
  exec(id, "true");
  const ChannelRequest sent = last<ChannelRequest>();
  EXPECT_EQ(sent.recipient, kPeerId);
  EXPECT_EQ(sent.request, "exec");
  EXPECT_TRUE(sent.want_reply);
  Reader body(sent.rest);
  EXPECT_EQ(body.text(), "true");
  EXPECT_TRUE(body.done());
  EXPECT_FALSE(expect<event::ChannelRequestReply>(ChannelFailure{id}).success);
}

TEST_F(MuxTest, C65RepliesComeInOrderAndOnlyIfAskedFor) {
  const ChannelId id = open();
  expect_breach(ChannelSuccess{id});
  exec(id, "a");
  exec(id, "b");
  EXPECT_FALSE(expect<event::ChannelRequestReply>(ChannelFailure{id}).success);
  EXPECT_TRUE(expect<event::ChannelRequestReply>(ChannelSuccess{id}).success);
  expect_breach(ChannelSuccess{id});
  expect_breach(RequestFailure{});  // to a global request that was never made
}

TEST_F(MuxTest, C24NoStringIsLongerThanThePeersMaximumAndAFullOneIsExact) {
  for (const uint32_t max_packet : {1u, 100u, 1024u, 16384u, 32768u}) {
    const ChannelId id = open(kWindow, max_packet);
    size_t total = 0;
    while (total < 10 * size_t{max_packet}) {
      const size_t n = write(id, 1 << 20);
      ASSERT_EQ(n, max_packet);
      EXPECT_EQ(out_.sent.back().size(), kDataHeader + max_packet);
      EXPECT_EQ(last<ChannelDataMessage>().data.size(), max_packet);
      EXPECT_EQ(last<ChannelDataMessage>().recipient, kPeerId);
      total += n;
    }
  }
}

TEST_F(MuxTest, LessThanTheSpaceMayBeSent) {
  const ChannelId id = open(100, 100);
  const MutBytes space = mux_.begin_data(id, 50);
  ASSERT_EQ(space.size(), 50u);
  space[0] = 'x';
  mux_.commit_data(id, 1);
  EXPECT_EQ(as_text(last<ChannelDataMessage>().data), "x");
  EXPECT_EQ(write(id, 1000), 99u);
  EXPECT_EQ(write(id, 1), 0u);
}

TEST_F(MuxTest, C52PartialWindowsAreUsedAndEofAndCloseNeedNone) {
  const ChannelId id = open(0, kPacket);
  EXPECT_EQ(write(id, 1000), 0u);
  for (const uint32_t credit : {1u, 99u, 5u}) {
    expect_nothing(ChannelWindowAdjust{id, credit});
    EXPECT_EQ(mux_.next_writable(), id);
    EXPECT_EQ(mux_.next_writable(), std::nullopt);
    EXPECT_EQ(write(id, 1000), credit);
    EXPECT_EQ(write(id, 1000), 0u);
  }
  mux_.send_eof(id);
  mux_.close(id);
  EXPECT_EQ(out_.numbers(), (std::vector<uint8_t>{94, 94, 94, 96, 97}));
}

TEST_F(MuxTest, RefusedSpaceIsAnnouncedOnceInTheOrderOfAsking) {
  const ChannelId a = open(), b = open();
  out_.refuses_data = true;
  EXPECT_EQ(write(b, 1), 0u);
  EXPECT_EQ(write(a, 1), 0u);
  EXPECT_EQ(write(b, 1), 0u);
  EXPECT_EQ(mux_.next_writable(), b);
  EXPECT_EQ(mux_.next_writable(), a);
  EXPECT_EQ(mux_.next_writable(), std::nullopt);
}

TEST_F(MuxTest, AClosedChannelIsNotAnnounced) {
  const ChannelId id = open();
  out_.refuses_data = true;
  EXPECT_EQ(write(id, 1), 0u);
  expect<event::ChannelClosed>(ChannelClose{id});
  EXPECT_EQ(mux_.next_writable(), std::nullopt);
}

TEST_F(MuxTest, C53AZeroMaximumPacketFailsThatChannelAlone) {
  const ChannelId other = open();
  const ChannelId id = mux_.open(open::Session{}, now_);
  const auto failed = expect<event::ChannelOpenFailed>(confirmation(id, UINT32_MAX, 0));
  EXPECT_EQ(failed.channel, id);
  EXPECT_EQ(out_.sent.back()[0], msg::kChannelClose);
  EXPECT_TRUE(mux_.begin_data(id, 1).empty());
  expect_nothing(ChannelClose{id});
  EXPECT_EQ(write(other, 10), 10u);
  EXPECT_EQ(mux_.channels(), 1u);
}

TEST_F(MuxTest, C54LargeWindowsWorkAndAnOverflowIsABreach) {
  for (const uint32_t window : {0x80000000u, 0xffffffffu}) {
    const ChannelId id = open(window, kPacket);
    EXPECT_EQ(write(id, 1 << 20), kPacket);
    expect_breach(ChannelWindowAdjust{id, 0xffffffff});
  }
}

TEST_F(MuxTest, C51C55CreditIsGrantedAsItIsConsumed) {
  const ChannelId id = open();
  const std::vector<uint8_t> block(kPacket);
  size_t delivered = 0;
  while (delivered + kPacket <= kWindow) {
    EXPECT_EQ(expect<event::ChannelData>(ChannelDataMessage{id, block}).data.size(), block.size());
    delivered += kPacket;
  }
  EXPECT_TRUE(out_.sent.empty());
  for (size_t i = 0; i < delivered; i++) mux_.consumed(id, 1);
  uint64_t granted = 0;
  for (const std::vector<uint8_t>& payload : out_.sent) granted += parse_message<ChannelWindowAdjust>(payload)->bytes;
  EXPECT_GE(granted + kWindow / 8, delivered);
  EXPECT_LE(out_.sent.size(), delivered / (3 * kPacket));
}

TEST_F(MuxTest, C56ALargeOverrunIsABreach) {
  const ChannelId id = open();
  const std::vector<uint8_t> block(kPacket);
  size_t taken = 0;
  while (take(ChannelDataMessage{id, block})) taken += kPacket;
  EXPECT_LE(taken, kWindow + kWindow / 10);
  EXPECT_GE(taken + kPacket, kWindow + kWindow / 10);
}

TEST_F(MuxTest, C25LongerStringsThanWeTakeAreABreach) {
  const ChannelId id = open();
  expect<event::ChannelData>(ChannelDataMessage{id, std::vector<uint8_t>(kPacket)});
  expect_breach(ChannelDataMessage{id, std::vector<uint8_t>(kPacket + 1)});
}

TEST_F(MuxTest, C57StderrIsDeliveredAndOtherKindsAreCredited) {
  const ChannelId id = open();
  const auto data = expect<event::ChannelData>(ChannelExtendedData{id, 1, as_bytes("oops")});
  EXPECT_TRUE(data.is_stderr);
  EXPECT_EQ(as_text(data.data), "oops");
  mux_.consumed(id, 4);
  const std::vector<uint8_t> block(kPacket);
  for (int i = 0; i < 100; i++) expect_nothing(ChannelExtendedData{id, 7, block});
  uint64_t granted = 0;
  for (const std::vector<uint8_t>& payload : out_.sent) granted += parse_message<ChannelWindowAdjust>(payload)->bytes;
  EXPECT_GT(granted, 96u * kPacket);
}

TEST_F(MuxTest, C60PeersEofLeavesOurDirectionOpen) {
  const ChannelId id = open();
  expect<event::ChannelEof>(ChannelEofMessage{id});
  EXPECT_TRUE(out_.sent.empty());
  EXPECT_EQ(write(id, 10), 10u);
  expect_breach(ChannelDataMessage{id, as_bytes("more")});
}

TEST_F(MuxTest, OurEofLeavesTheirsOpenAndEndsOurData) {
  const ChannelId id = open();
  mux_.send_eof(id);
  mux_.send_eof(id);
  EXPECT_TRUE(mux_.begin_data(id, 10).empty());
  EXPECT_EQ(out_.numbers(), std::vector<uint8_t>{96});
  expect<event::ChannelData>(ChannelDataMessage{id, as_bytes("late")});
}

TEST_F(MuxTest, C61NothingIsSentAfterOurClose) {
  const ChannelId id = open();
  expect<event::ChannelData>(ChannelDataMessage{id, std::vector<uint8_t>(kPacket)});
  expect<event::ChannelData>(ChannelDataMessage{id, std::vector<uint8_t>(kPacket)});
  expect<event::ChannelData>(ChannelDataMessage{id, std::vector<uint8_t>(kPacket)});
  mux_.close(id);
  mux_.close(id);
  mux_.send_eof(id);
  exec(id, "x");
  mux_.consumed(id, 3 * kPacket);
  EXPECT_TRUE(mux_.begin_data(id, 10).empty());
  expect_nothing(ChannelDataMessage{id, as_bytes("crossing")});
  expect_nothing(request(id, "keepalive@openssh.com", true));
  expect_nothing(ChannelEofMessage{id});
  EXPECT_EQ(out_.numbers(), std::vector<uint8_t>{97});
  expect<event::ChannelClosed>(ChannelClose{id});
  EXPECT_EQ(out_.numbers(), std::vector<uint8_t>{97});
  EXPECT_EQ(mux_.channels(), 0u);
}

TEST_F(MuxTest, C61PeersCloseIsAnsweredOnceAndNumbersAreNotUsedAgain) {
  const ChannelId id = open();
  expect<event::ChannelClosed>(ChannelClose{id});
  EXPECT_EQ(out_.numbers(), std::vector<uint8_t>{97});
  EXPECT_EQ(mux_.open(open::Session{}, now_), id + 1);
}

TEST_F(MuxTest, C62LateMessagesForAClosedChannelAreHarmless) {
  const ChannelId id = open();
  expect<event::ChannelClosed>(ChannelClose{id});
  out_.sent.clear();
  expect_nothing(request(id, "keepalive@openssh.com", true));
  expect_nothing(ChannelWindowAdjust{id, 5});
  expect_nothing(ChannelDataMessage{id, as_bytes("late")});
  expect_nothing(ChannelClose{id});
  mux_.consumed(id, 100);
  mux_.send_eof(id);
  mux_.close(id);
  EXPECT_TRUE(out_.sent.empty());
}

TEST_F(MuxTest, C62ANumberThatWasNeverGivenIsABreach) {
  open();
  expect_breach(ChannelDataMessage{1, as_bytes("x")});
  expect_breach(ChannelClose{UINT32_MAX});
  EXPECT_DEATH(mux_.close(5), "next_id_");
}

TEST_F(MuxTest, AChannelIsNotUsedBeforeItIsConfirmed) {
  const ChannelId id = mux_.open(open::Session{}, now_);
  expect_breach(ChannelDataMessage{id, as_bytes("x")});
  expect_breach(ChannelWindowAdjust{id, 1});
  expect_breach(ChannelClose{id});
  expect_breach(request(id, "exit-status", false));
  EXPECT_TRUE(mux_.begin_data(id, 1).empty());
  EXPECT_DEATH(exec(id, "x"), "open_");
}

TEST_F(MuxTest, AConfirmationComesOnce) {
  const ChannelId id = open();
  expect_breach(confirmation(id, 1, 1));
  expect_breach(ChannelOpenFailure{id, 1, "", ""});
}

TEST_F(MuxTest, CloseBeforeTheConfirmationIsDoneAfterIt) {
  const ChannelId id = mux_.open(open::Session{}, now_);
  mux_.close(id);
  out_.sent.clear();
  expect_nothing(confirmation(id, 10, 10));
  EXPECT_EQ(out_.numbers(), std::vector<uint8_t>{97});
  expect<event::ChannelClosed>(ChannelClose{id});
}

TEST_F(MuxTest, EofBeforeTheConfirmationIsDoneAfterIt) {
  const ChannelId id = mux_.open(open::Session{}, now_);
  mux_.send_eof(id);
  out_.sent.clear();
  expect<event::ChannelOpened>(confirmation(id, 10, 10));
  EXPECT_EQ(out_.numbers(), std::vector<uint8_t>{96});
}

TEST_F(MuxTest, C66StatusComesBeforeOrAfterDataAndEof) {
  const std::vector<uint8_t> seven{0, 0, 0, 7};
  const ChannelId a = open();
  EXPECT_EQ(expect<event::ExitStatus>(request(a, "exit-status", false, seven)).status, 7u);
  expect<event::ChannelData>(ChannelDataMessage{a, as_bytes("tail")});
  expect<event::ChannelEof>(ChannelEofMessage{a});
  expect<event::ChannelClosed>(ChannelClose{a});

  const ChannelId b = open();
  expect<event::ChannelEof>(ChannelEofMessage{b});
  EXPECT_EQ(expect<event::ExitStatus>(request(b, "exit-status", false, seven)).status, 7u);
  mux_.close(b);
  EXPECT_EQ(expect<event::ExitStatus>(request(b, "exit-status", false, seven)).status, 7u);
  expect<event::ChannelClosed>(ChannelClose{b});
}

TEST_F(MuxTest, ExitSignal) {
  const ChannelId id = open();
  std::vector<uint8_t> body;
  Writer writer(body);
  writer.text("KILL");
  writer.boolean(true);
  writer.text("out of memory");
  writer.text("");
  const auto told = expect<event::ExitSignal>(request(id, "exit-signal", false, body));
  EXPECT_EQ(told.signal, "KILL");
  EXPECT_TRUE(told.core_dumped);
  EXPECT_EQ(told.message, "out of memory");
  body.pop_back();
  expect_breach(request(id, "exit-signal", false, body));
  expect_breach(request(id, "exit-status", false, body));
}

TEST_F(MuxTest, C62C64RequestsThatWantAReplyGetOne) {
  const ChannelId id = open();
  expect_nothing(request(id, "keepalive@openssh.com", true));
  EXPECT_EQ(last<ChannelFailure>().recipient, kPeerId);
  out_.sent.clear();
  expect<event::ChannelEndOfWrite>(request(id, "eow@openssh.com", false));
  EXPECT_TRUE(out_.sent.empty());
}

TEST_F(MuxTest, C64GlobalRequests) {
  const std::vector<uint8_t> junk{1, 2, 3};
  expect_nothing(GlobalRequest{"keepalive@openssh.com", true, {}});
  expect_nothing(GlobalRequest{"foo", true, junk});
  EXPECT_EQ(out_.numbers(), (std::vector<uint8_t>{82, 82}));
  expect_nothing(GlobalRequest{"hostkeys-00@openssh.com", false, junk});
  expect_nothing(GlobalRequest{"no-more-sessions@openssh.com", false, {}});
  EXPECT_EQ(out_.sent.size(), 2u);
}

TEST_F(MuxTest, ChannelsOfThePeerAreRefused) {
  expect_nothing(ChannelOpen{.type = "forwarded-tcpip", .sender = 9, .window = 1, .max_packet = 1, .rest = {}});
  const auto refusal = last<ChannelOpenFailure>();
  EXPECT_EQ(refusal.recipient, 9u);
  EXPECT_EQ(refusal.reason, 1u);
}

TEST_F(MuxTest, TruncatedMessagesAreABreachAtEveryLength) {
  const ChannelId id = open();
  const std::vector<std::vector<uint8_t>> whole = {
      to_payload(ChannelDataMessage{id, as_bytes("data")}), to_payload(ChannelExtendedData{id, 1, as_bytes("data")}),
      to_payload(ChannelWindowAdjust{id, 1}), to_payload(ChannelEofMessage{id}),
      to_payload(ChannelOpenFailure{id, 1, "text", ""})};
  for (const std::vector<uint8_t>& payload : whole) {
    for (size_t size = 1; size < payload.size(); size++)
      EXPECT_FALSE(mux_.handle(Bytes(payload).first(size), now_)) << int{payload[0]} << " cut to " << size;
  }
}

TEST_F(MuxTest, EveryNumberOfTheConnectionProtocolIsSafeWithAnyShortBody) {
  open();
  for (int number = 80; number <= 127; number++) {
    for (size_t size = 0; size < 40; size++) {
      std::vector<uint8_t> payload(1 + size, 0);
      payload[0] = static_cast<uint8_t>(number);
      RecordingOut out;
      Mux mux({.grant = kGrant}, out);
      mux.open(open::Session{}, now_);
      (void)mux.handle(payload, now_);
    }
  }
}

}  // namespace
}  // namespace plumb::testing
