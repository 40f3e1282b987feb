#include "sftp/messages.h"

#include <gtest/gtest.h>

#include <cerrno>

#include "core/encoding.h"
#include "sftp/extensions.h"
#include "tests/testing/seeded_random.h"

namespace plumb::sftp {
namespace {

constexpr std::array<uint8_t, 4> kHandle = {0, 0, 0, 7};

template <class M>
std::string packet_hex(const M& message) {
  std::vector<uint8_t> out;
  append_packet(message, out);
  return to_hex(out);
}

// Each against the layout of draft-ietf-secsh-filexfer-02, written down by hand.
TEST(SftpMessages, AreLaidOutAsTheDraftSays) {
  EXPECT_EQ(packet_hex(Init{}),
            "00000005"
            "01"
            "00000003");
  EXPECT_EQ(packet_hex(Version{.extensions = {{"a@b", "1"}}}),
            "00000011"
            "02"
            "00000003"
            "00000003"
            "614062"
            "00000001"
            "31");
  EXPECT_EQ(packet_hex(Open{.id = 1, .path = "f", .pflags = kOpenRead, .attrs = {}}),
            "00000012"
            "03"
            "00000001"
            "00000001"
            "66"
            "00000001"
            "00000000");
  EXPECT_EQ(packet_hex(Close{{2, kHandle}}),
            "0000000d"
            "04"
            "00000002"
            "00000004"
            "00000007");
  EXPECT_EQ(packet_hex(Read{.id = 3, .handle = kHandle, .offset = 0x100000002, .length = 32768}),
            "00000019"
            "05"
            "00000003"
            "00000004"
            "00000007"
            "0000000100000002"
            "00008000");
  EXPECT_EQ(packet_hex(Lstat{{4, "f"}}),
            "0000000a"
            "07"
            "00000004"
            "00000001"
            "66");
  EXPECT_EQ(packet_hex(Fstat{{5, kHandle}}),
            "0000000d"
            "08"
            "00000005"
            "00000004"
            "00000007");
  EXPECT_EQ(packet_hex(Setstat{{6, "f", with_permissions(0644)}}),
            "00000012"
            "09"
            "00000006"
            "00000001"
            "66"
            "00000004"
            "000001a4");
  EXPECT_EQ(packet_hex(Fsetstat{.id = 7, .handle = kHandle, .attrs = {.flags = kHasSize, .size = 9}}),
            "00000019"
            "0a"
            "00000007"
            "00000004"
            "00000007"
            "00000001"
            "0000000000000009");
  EXPECT_EQ(packet_hex(Opendir{{8, "f"}}),
            "0000000a"
            "0b"
            "00000008"
            "00000001"
            "66");
  EXPECT_EQ(packet_hex(Readdir{{9, kHandle}}),
            "0000000d"
            "0c"
            "00000009"
            "00000004"
            "00000007");
  EXPECT_EQ(packet_hex(Remove{{10, "f"}}),
            "0000000a"
            "0d"
            "0000000a"
            "00000001"
            "66");
  EXPECT_EQ(packet_hex(Mkdir{{11, "f", {}}}),
            "0000000e"
            "0e"
            "0000000b"
            "00000001"
            "66"
            "00000000");
  EXPECT_EQ(packet_hex(Rmdir{{12, "f"}}),
            "0000000a"
            "0f"
            "0000000c"
            "00000001"
            "66");
  EXPECT_EQ(packet_hex(Realpath{{13, ""}}),
            "00000009"
            "10"
            "0000000d"
            "00000000");
  EXPECT_EQ(packet_hex(Stat{{14, "f"}}),
            "0000000a"
            "11"
            "0000000e"
            "00000001"
            "66");
  EXPECT_EQ(packet_hex(Rename{.id = 15, .from = "a", .to = "b"}),
            "0000000f"
            "12"
            "0000000f"
            "00000001"
            "61"
            "00000001"
            "62");
  EXPECT_EQ(packet_hex(Readlink{{16, "f"}}),
            "0000000a"
            "13"
            "00000010"
            "00000001"
            "66");
  EXPECT_EQ(packet_hex(Symlink{.id = 17, .target = "t", .link = "l"}),
            "0000000f"
            "14"
            "00000011"
            "00000001"
            "74"
            "00000001"
            "6c");
  EXPECT_EQ(packet_hex(Status{.id = 18, .code = 1, .message = "x", .language = ""}),
            "00000012"
            "65"
            "00000012"
            "00000001"
            "00000001"
            "78"
            "00000000");
  EXPECT_EQ(packet_hex(HandleReply{{19, kHandle}}),
            "0000000d"
            "66"
            "00000013"
            "00000004"
            "00000007");
  EXPECT_EQ(packet_hex(NameReply{.id = 20, .entries = {{"f", "l", {}}}}),
            "00000017"
            "68"
            "00000014"
            "00000001"
            "00000001"
            "66"
            "00000001"
            "6c"
            "00000000");
  EXPECT_EQ(packet_hex(AttrsReply{.id = 21, .attrs = {}}),
            "00000009"
            "69"
            "00000015"
            "00000000");
  EXPECT_EQ(packet_hex(Extended{.id = 22, .name = "a@b", .rest = kHandle}),
            "00000010"
            "c8"
            "00000016"
            "00000003"
            "614062"
            "00000007");
  EXPECT_EQ(packet_hex(ExtendedReply{.id = 23, .rest = kHandle}),
            "00000009"
            "c9"
            "00000017"
            "00000007");
}

TEST(SftpMessages, AttributesCarryWhatTheirFlagsName) {
  const Attrs all{.flags = kHasSize | kHasOwner | kHasPermissions | kHasTimes | kHasExtended,
                  .size = 1,
                  .uid = 2,
                  .gid = 3,
                  .permissions = 4,
                  .atime = 5,
                  .mtime = 6,
                  .extended = {{"n", "d"}}};
  EXPECT_EQ(packet_hex(AttrsReply{.id = 0, .attrs = all}),
            "00000033"
            "69"
            "00000000"
            "8000000f"
            "0000000000000001"
            "00000002"
            "00000003"
            "00000004"
            "00000005"
            "00000006"
            "00000001"
            "00000001"
            "6e"
            "00000001"
            "64");
}

template <class M>
void walks_all_four(testing::SeededRandom& random) {
  for (int i = 0; i < 300; i++) {
    const auto source = random.bytes(random.below(300));
    const M made = generate<M>(source);
    std::vector<uint8_t> packet;
    append_packet(made, packet);
    const auto read = parse<M>(Bytes(packet).subspan(4));
    ASSERT_TRUE(read.has_value()) << M::kName << " " << to_hex(packet);
    std::vector<uint8_t> again;
    append_packet(*read, again);
    ASSERT_EQ(again, packet) << M::kName;
    ASSERT_EQ(print(*read), print(made));
    for (size_t size = 5; size < packet.size(); size++) {
      const auto cut = parse<M>(Bytes(packet).subspan(4, size - 4));
      if (!cut) continue;
      std::vector<uint8_t> shorter;  // a message that ends in a list or a rest may be cut
      append_packet(*cut, shorter);
      ASSERT_EQ(shorter.size(), size) << M::kName;
    }
  }
}

template <class... M>
void all_walk(testing::SeededRandom& random) {
  (walks_all_four<M>(random), ...);
}

TEST(SftpMessages, WriterReaderPrinterAndGeneratorAgree) {
  testing::SeededRandom random;
  all_walk<Init, Version, Open, Close, Read, Write, Lstat, Fstat, Setstat, Fsetstat, Opendir, Readdir, Remove, Mkdir,
           Rmdir, Realpath, Stat, Rename, Readlink, Symlink, Status, HandleReply, Data, NameReply, AttrsReply, Extended,
           ExtendedReply>(random);
}

TEST(SftpMessages, ArePrintedForPeople) {
  EXPECT_EQ(print(Open{.id = 1, .path = "/etc/motd", .pflags = 1, .attrs = {}}),
            "OPEN id=1 path=/etc/motd pflags=1 flags=0");
  EXPECT_EQ(print(NameReply{.id = 1, .entries = {{"a", "b", {}}}}), "NAME id=1 entries=1 name=a long_name=b flags=0");
}

TEST(SftpMessages, AHostileCountEndsWithTheMessage) {
  const std::vector<uint8_t> names = {104, 0, 0, 0, 1, 0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0};
  EXPECT_FALSE(parse<NameReply>(names));
  const std::vector<uint8_t> attrs = {105, 0, 0, 0, 1, 0x80, 0, 0, 0, 0xff, 0xff, 0xff, 0xff};
  EXPECT_FALSE(parse<AttrsReply>(attrs));
}

TEST(SftpStatus, ErrnoBecomesWhatOpenSshSays) {
  const auto code = [](int os_error) { return status_of(Error{ErrorCode::kSystem, os_error, ""}); };
  EXPECT_EQ(code(ENOENT), StatusCode::kNoSuchFile);
  EXPECT_EQ(code(ELOOP), StatusCode::kNoSuchFile);
  EXPECT_EQ(code(EACCES), StatusCode::kPermissionDenied);
  EXPECT_EQ(code(EINVAL), StatusCode::kBadMessage);
  EXPECT_EQ(code(ENOSYS), StatusCode::kOpUnsupported);
  EXPECT_EQ(code(ENOSPC), StatusCode::kFailure);
  EXPECT_EQ(status_text(StatusCode::kEof), "End of file");
  EXPECT_EQ(status_text(static_cast<StatusCode>(31)), "Unknown error");
}

TEST(SftpExtensions, AreFoundByName) {
  for (const ExtensionSpec& spec : extensions()) EXPECT_EQ(find_extension(spec.name), spec.id);
  EXPECT_FALSE(find_extension("posix-rename"));
}

}  // namespace
}  // namespace plumb::sftp
