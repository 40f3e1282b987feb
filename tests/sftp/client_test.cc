// What a client does not take from a server.
#include "sftp/client.h"

#include <gtest/gtest.h>

#include "tests/sftp/fake_server.h"

namespace plumb::sftp::testing {
namespace {

/// The client's error when `say` answers its request.
template <class Ask, class Say>
std::string error_after(Ask ask, Say say) {
  FakeServer server;
  TestSession s(server);
  const Result<RequestId> id = ask(s.client);
  EXPECT_TRUE(id);
  server.intercept = [&](Bytes) {
    say(server, *id);
    return true;
  };
  for (int i = 0; i < 20 && !s.error; i++) s.pump_once();
  if (!s.error) return "no error";
  EXPECT_FALSE(s.client.stat("f")) << "an error stands for good";
  return s.error->text;
}

const auto kStatRequest = [](Client& c) { return c.stat("f"); };
const auto kReadRequest = [](Client& c) { return c.read({"h"}, 5, 4); };
const std::string kWrongKind = "the server answered an SFTP request with a reply that does not belong to it";

TEST(SftpClient, RefusesRepliesToNothing) {
  const std::string unknown = "the server answered an SFTP request that was not made";
  EXPECT_EQ(error_after(kStatRequest, [](FakeServer& s, uint32_t id) { s.say_status(id + 1, StatusCode::kOk); }),
            unknown);
  EXPECT_EQ(error_after(kStatRequest,
                        [](FakeServer& s, uint32_t id) {
                          s.say_status(id, StatusCode::kFailure);
                          s.say_status(id, StatusCode::kFailure);
                        }),
            unknown);
}

TEST(SftpClient, RefusesRepliesOfAnotherKind) {
  EXPECT_EQ(error_after(kStatRequest, [](FakeServer& s, uint32_t id) { s.say(HandleReply{{id, {}}}); }), kWrongKind);
  EXPECT_EQ(error_after(kStatRequest, [](FakeServer& s, uint32_t id) { s.say_status(id, StatusCode::kOk); }),
            kWrongKind);
  EXPECT_EQ(error_after(kStatRequest, [](FakeServer& s, uint32_t id) { s.say(NameReply{.id = id}); }), kWrongKind);
  EXPECT_EQ(error_after(kStatRequest, [](FakeServer& s, uint32_t id) { s.say_data(id, as_bytes("x")); }), kWrongKind);
  EXPECT_EQ(error_after(kStatRequest, [](FakeServer& s, uint32_t id) { s.say(ExtendedReply{.id = id, .rest = {}}); }),
            kWrongKind);
  EXPECT_EQ(error_after(kReadRequest, [](FakeServer& s, uint32_t id) { s.say(AttrsReply{.id = id}); }), kWrongKind);
  EXPECT_EQ(error_after(kStatRequest, [](FakeServer& s, uint32_t id) { s.say(Stat{{id, "f"}}); }), kWrongKind);
}

TEST(SftpClient, RefusesDataThatWasNotAskedFor) {
  EXPECT_EQ(error_after(kReadRequest, [](FakeServer& s, uint32_t id) { s.say_data(id, as_bytes("12345")); }),
            "the server answered a read with more data than was asked for");
  EXPECT_EQ(error_after(kReadRequest, [](FakeServer& s, uint32_t id) { s.say_data(id, {}); }),
            "the server answered a read with no data and no end of the file");
  EXPECT_EQ(error_after(kReadRequest, [](FakeServer& s, uint32_t id) { s.say_data(id, as_bytes("1234")); }),
            "no error");
}

TEST(SftpClient, C71RefusesBadLengths) {
  EXPECT_EQ(error_after(kStatRequest,
                        [](FakeServer& s, uint32_t) {
                          s.say_bytes({0, 0, 0, 0});
                        }),
            "the peer sent an SFTP packet without a message");
  EXPECT_EQ(error_after(kStatRequest,
                        [](FakeServer& s, uint32_t) {
                          s.say_bytes({0xff, 0xff, 0xff, 0xff});
                        }),
            "the peer sent an SFTP packet longer than 256 KiB");
  const std::vector<uint8_t> long_handle(257);
  EXPECT_EQ(error_after([](Client& c) { return c.open("f", kOpenRead); },
                        [&](FakeServer& s, uint32_t id) {
                          s.say(HandleReply{{id, long_handle}});
                        }),
            "the server gave an SFTP handle longer than 256 bytes");
}

TEST(SftpClient, TakesAStatusWithoutText) {
  FakeServer server;
  TestSession s(server);
  server.intercept = [&](Bytes packet) {
    server.say_bytes({0, 0, 0, 9, 101, packet[1], packet[2], packet[3], packet[4], 0, 0, 0, 2});
    return true;
  };
  EXPECT_EQ(s.status_of(s.client.stat("f")), StatusCode::kNoSuchFile);
}

TEST(SftpClient, SpeaksVersion3Alone) {
  for (const uint32_t version : {0u, 2u, 4u, 6u}) {
    Client client;
    std::vector<uint8_t> packet;
    append_packet(Version{.version = version}, packet);
    Bytes in(packet);
    EXPECT_EQ(client.next(in).error().code, ErrorCode::kUnsupported);
    EXPECT_FALSE(client.ready());
  }
}

TEST(SftpClient, KnowsAnExtensionByNameAndVersion) {
  FakeServer server;
  server.extensions = {{"statvfs@openssh.com", "1"}, {"fsync@openssh.com", "1"}, {"other@example.com", "1"}};
  TestSession s(server);
  EXPECT_FALSE(s.client.supports(Extension::kStatvfs));
  EXPECT_TRUE(s.client.supports(Extension::kFsync));
  EXPECT_EQ(s.client.statvfs("f").error().code, ErrorCode::kUnsupported);
}

TEST(SftpClient, RefusesWhatCannotBeAsked) {
  FakeServer server;
  TestSession s(server);
  EXPECT_EQ(s.client.stat(std::string_view("a\0b", 3)).error().code, ErrorCode::kUsage);
  EXPECT_EQ(s.client.stat(std::string(34000, 'p')).error().code, ErrorCode::kLimit);
  for (size_t i = s.client.in_flight(); i < ClientOptions{}.max_in_flight; i++) ASSERT_TRUE(s.client.stat("f"));
  EXPECT_EQ(s.client.stat("f").error().code, ErrorCode::kLimit);
}

TEST(SftpClient, RequestsBeforeTheVersionAbort) {
  Client client;
  EXPECT_DEATH((void)client.stat("f"), "ready_");
}

}  // namespace
}  // namespace plumb::sftp::testing
