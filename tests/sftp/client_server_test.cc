// Our client against our server in memory, in any pieces.
#include <gtest/gtest.h>

#include <cerrno>

#include "core/encoding.h"
#include "sftp/memory_files.h"
#include "tests/sftp/operations.h"

namespace plumb::sftp::testing {
namespace {

/// Packets to a server, and all that it answers.
class RawServer {
 public:
  explicit RawServer(Files& files, ServerOptions options = {}) : server_(files, options) { say(Init{}); }
  template <class M>
  void say(const M& message) {
    std::vector<uint8_t> packet;
    append_packet(message, packet);
    say_bytes(packet);
  }
  bool say_bytes(Bytes bytes) {
    while (true) {
      const Result<size_t> taken = server_.input(bytes);
      if (!taken) return false;
      bytes = bytes.subspan(*taken);
      std::vector<uint8_t> space(1000);
      while (const size_t n = server_.output(space))
        answers.insert(answers.end(), space.begin(), space.begin() + static_cast<std::ptrdiff_t>(n));
      if (bytes.empty()) return true;
    }
  }
  /// The next packet answered.
  std::vector<uint8_t> next() {
    EXPECT_GE(answers.size(), 5u);
    if (answers.size() < 5) return {};
    const auto end = answers.begin() + 4 + load_be32(answers.data());
    std::vector<uint8_t> packet(answers.begin() + 4, end);
    answers.erase(answers.begin(), end);
    return packet;
  }
  StatusCode status() {
    const std::vector<uint8_t> packet = next();
    const Result<Status> m = parse<Status>(packet);
    EXPECT_TRUE(m) << to_hex(packet);
    return m ? static_cast<StatusCode>(m->code) : StatusCode::kNoConnection;
  }
  std::vector<uint8_t> answers;

 private:
  Server server_;
};

class Pieces : public ::testing::TestWithParam<size_t> {};

TEST_P(Pieces, C69EverythingWorksInAnyChunking) {
  MemoryFiles files;
  MemoryWire wire(files, GetParam());
  TestSession session(wire, GetParam());
  ASSERT_TRUE(files.make_directory("/f", 0755));
  check_operations(session, "/f");
  check_extensions(session, "/f");
  check_refusals(session, "/f");
  if (GetParam() > 100) check_transfers(session, "/f");
}
INSTANTIATE_TEST_SUITE_P(SftpClientServer, Pieces, ::testing::Values(1, 7, 100, 1024, 32768, 261120));

TEST(SftpServer, C71BadLengthsEndTheStreamOrAreAnswered) {
  MemoryFiles files;
  for (const std::vector<uint8_t>& fatal : std::vector<std::vector<uint8_t>>{
           {0, 0, 0, 0}, {0, 0, 0, 1, 5}, {0, 0, 0, 4, 3, 0, 0, 0}, {0xff, 0xff, 0xff, 0xff}}) {
    RawServer server(files);
    EXPECT_FALSE(server.say_bytes(fatal)) << to_hex(fatal);
    EXPECT_FALSE(server.say_bytes({})) << "for good";
  }
  RawServer server(files);
  server.next();  // VERSION
  server.say(Open{.id = 1, .path = "f", .pflags = kOpenRead | kOpenWrite | kOpenCreate, .attrs = {}});
  const std::vector<uint8_t> opened = server.next();
  const Bytes handle = parse<HandleReply>(opened)->handle;
  server.say(Write{.id = 2, .handle = handle, .offset = 0, .length = 0});
  EXPECT_EQ(server.status(), StatusCode::kOk);
  server.say(Read{.id = 3, .handle = handle, .offset = 0, .length = 0});
  EXPECT_EQ(to_hex(server.next()), "670000000300000000");
  server.say(Read{.id = 4, .handle = handle, .offset = 0, .length = 0xffffffff});
  EXPECT_EQ(server.status(), StatusCode::kEof);
  server.say(Close{{5, {}}});
  EXPECT_EQ(server.status(), StatusCode::kNoSuchFile);
  const std::vector<uint8_t> long_handle(257);
  server.say(Close{{6, long_handle}});
  EXPECT_EQ(server.status(), StatusCode::kNoSuchFile);
  server.say(Write{.id = 7, .handle = long_handle, .offset = 0, .length = 0});
  EXPECT_EQ(server.status(), StatusCode::kBadMessage);
  server.say_bytes(std::vector<uint8_t>{0, 0, 0, 9, 17, 0, 0, 0, 8, 0, 0, 0, 99});  // STAT, its path past the end
  EXPECT_EQ(server.status(), StatusCode::kBadMessage);
  server.say(Stat{{9, std::string_view("a\0b", 3)}});
  EXPECT_EQ(server.status(), StatusCode::kBadMessage);
  server.say_bytes(std::vector<uint8_t>{0, 0, 0, 5, 77, 0, 0, 0, 10});
  EXPECT_EQ(server.status(), StatusCode::kOpUnsupported);
  server.say(Extended{.id = 11, .name = "no-such@example.com", .rest = {}});
  EXPECT_EQ(server.status(), StatusCode::kOpUnsupported);
  EXPECT_TRUE(server.answers.empty());
}

TEST(SftpServer, ARequestBeforeTheVersionEndsTheStream) {
  MemoryFiles files;
  Server server(files, {});
  std::vector<uint8_t> packet;
  append_packet(Stat{{1, "f"}}, packet);
  EXPECT_FALSE(server.input(packet));
}

TEST(SftpServer, ReadOnlyRefusesWhateverWrites) {
  MemoryFiles files;
  ASSERT_TRUE(files.open("f", kOpenWrite | kOpenCreate, {}));
  MemoryWire wire(files, 32768, {.read_only = true});
  TestSession s(wire);
  Client& c = s.client;
  using enum StatusCode;
  const FileHandle f = s.open("f", kOpenRead);
  EXPECT_EQ(s.status_of(c.open("f", kOpenWrite)), kPermissionDenied);
  EXPECT_EQ(s.status_of(c.open("g", kOpenRead | kOpenCreate)), kPermissionDenied);
  EXPECT_EQ(s.status_of(c.set_attrs("f", with_permissions(0))), kPermissionDenied);
  EXPECT_EQ(s.status_of(c.set_attrs(f, with_permissions(0))), kPermissionDenied);
  EXPECT_EQ(s.status_of(c.remove("f")), kPermissionDenied);
  EXPECT_EQ(s.status_of(c.make_directory("d")), kPermissionDenied);
  EXPECT_EQ(s.status_of(c.remove_directory("d")), kPermissionDenied);
  EXPECT_EQ(s.status_of(c.rename("f", "g")), kPermissionDenied);
  EXPECT_EQ(s.status_of(c.make_link("f", "g")), kPermissionDenied);
  EXPECT_EQ(s.status_of(c.replace("f", "g")), kPermissionDenied);
  EXPECT_EQ(s.status_of(c.make_hard_link("f", "g")), kPermissionDenied);
  EXPECT_EQ(s.status_of(c.sync(f)), kPermissionDenied);
  EXPECT_EQ(s.status_of(c.set_link_attrs("f", with_permissions(0))), kPermissionDenied);
  EXPECT_EQ(s.status_of(c.copy(f, 0, 0, f, 0)), kPermissionDenied);
  Result<PayloadPacket> packet = c.begin_write({}, f, 0, 10);
  ASSERT_TRUE(packet);
  EXPECT_EQ(s.status_of(c.commit_write(*packet, 10).id), kPermissionDenied);
  EXPECT_EQ(s.ask_for<reply::Attributes>(c.stat("f")).attrs.size, 0u);
}

TEST(SftpServer, HandlesAreBounded) {
  MemoryFiles files;
  ASSERT_TRUE(files.open("f", kOpenWrite | kOpenCreate, {}));
  MemoryWire wire(files, 32768, {.max_handles = 3});
  TestSession s(wire);
  s.open("f", kOpenRead);
  const FileHandle second = s.open("f", kOpenRead);
  s.ask_for<reply::DirectoryOpened>(s.client.open_directory("/"));
  EXPECT_EQ(s.status_of(s.client.open("f", kOpenRead)), StatusCode::kFailure);
  EXPECT_EQ(s.status_of(s.client.open_directory("/")), StatusCode::kFailure);
  EXPECT_EQ(s.status_of(s.client.close(second)), StatusCode::kOk);
  s.open("f", kOpenRead);
}

TEST(SftpServer, C73LongListingsComeInPiecesAndInOrder) {
  MemoryFiles files;
  ASSERT_TRUE(files.make_directory("/d", 0755));
  for (int i = 0; i < 3000; i++)
    ASSERT_TRUE(files.open("/d/" + std::to_string(i) + std::string(200, 'n'), kOpenWrite | kOpenCreate, {}));
  RawServer server(files);
  server.next();
  server.say(Opendir{{1, "/d"}});
  const std::vector<uint8_t> opened = server.next();
  const Bytes handle = parse<HandleReply>(opened)->handle;
  std::vector<uint8_t> many;
  for (uint32_t id = 2; id < 100; id++) append_packet(Readdir{{id, handle}}, many);
  ASSERT_TRUE(server.say_bytes(many));
  size_t entries = 0;
  for (uint32_t id = 2; id < 100; id++) {
    const std::vector<uint8_t> packet = server.next();
    EXPECT_LE(packet.size(), 34000u);
    const Result<NameReply> names = parse<NameReply>(packet);
    EXPECT_EQ(load_be32(packet.data() + 1), id);
    if (names) entries += names->entries.size();
  }
  EXPECT_EQ(entries, 3002u);
}

TEST(SftpServer, TakesNoMoreThanItCanAnswer) {
  MemoryFiles files;
  ASSERT_TRUE(files.open("f", kOpenWrite | kOpenCreate, {}).value()->write_at(1 << 20, as_bytes("x")));
  Server server(files, {});
  std::vector<uint8_t> stream;
  append_packet(Init{}, stream);
  append_packet(Open{.id = 1, .path = "f", .pflags = kOpenRead, .attrs = {}}, stream);
  const std::vector<uint8_t> handle = {0, 0, 0, 0};
  for (uint32_t id = 2; id < 2002; id++)
    append_packet(Read{.id = id, .handle = handle, .offset = 0, .length = kMaxPayload}, stream);
  const Result<size_t> taken = server.input(stream);
  ASSERT_TRUE(taken);
  EXPECT_LT(*taken, 4000u);
  EXPECT_EQ(*server.input(Bytes(stream).subspan(*taken)), 0u);
  std::vector<uint8_t> space(32768);
  size_t n = server.output(space);
  EXPECT_GT(n, 100u);
  EXPECT_GT(*server.input(Bytes(stream).subspan(*taken)), 0u);
}

TEST(SftpServer, ARequestBehindReadsWaitsForThem) {
  MemoryFiles files;
  ASSERT_TRUE(files.open("f", kOpenWrite | kOpenCreate, {}).value()->write_at(0, as_bytes("before")));
  Server server(files, {});
  std::vector<uint8_t> stream;
  append_packet(Init{}, stream);
  append_packet(Open{.id = 1, .path = "f", .pflags = kOpenRead | kOpenWrite, .attrs = {}}, stream);
  const std::vector<uint8_t> handle = {0, 0, 0, 0};
  append_packet(Read{.id = 2, .handle = handle, .offset = 0, .length = 100}, stream);
  OutQueue queue(1000);
  PayloadPacket write(queue, {}, Write{.id = 3, .handle = handle, .offset = 0}, 5);
  std::copy_n("AFTER", 5, write.second().begin());
  write.commit(5);
  std::vector<uint8_t> tail(queue.size());
  queue.take(tail);
  stream.insert(stream.end(), tail.begin(), tail.end());
  append_packet(Close{{4, handle}}, stream);
  std::string answers;
  for (Bytes in(stream); !in.empty();) {
    const Result<size_t> taken = server.input(in);
    ASSERT_TRUE(taken);
    in = in.subspan(*taken);
    std::vector<uint8_t> space(3000);
    const size_t n = server.output(space);
    answers += as_text(Bytes(space).first(n));
  }
  EXPECT_NE(answers.find("before"), std::string::npos);
  EXPECT_EQ(answers.find("AFTER"), std::string::npos);
}

/// What was written turns out to be lost when it is closed.
class LossyFiles final : public MemoryFiles {
 public:
  Result<std::unique_ptr<File>> open(std::string_view, uint32_t, const Attrs&) override {
    struct Lossy final : LocalBytes {
      Result<void> close() override { return os_error(EDQUOT, "the quota was too small"); }
    };
    return std::make_unique<Lossy>();
  }
};

TEST(SftpServer, TellsWhatClosingCameTo) {
  LossyFiles files;
  RawServer server(files);
  server.next();  // VERSION
  server.say(Open{.id = 1, .path = "f", .pflags = kOpenWrite | kOpenCreate, .attrs = {}});
  const std::vector<uint8_t> opened = server.next();
  const Bytes handle = parse<HandleReply>(opened)->handle;
  server.say(Close{{2, handle}});
  EXPECT_EQ(server.status(), StatusCode::kFailure);
  server.say(Close{{3, handle}});
  EXPECT_EQ(server.status(), StatusCode::kNoSuchFile);
}

}  // namespace
}  // namespace plumb::sftp::testing
