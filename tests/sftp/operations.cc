#include "tests/sftp/operations.h"

#include <unistd.h>

#include <map>

#include "tests/testing/seeded_random.h"

namespace plumb::sftp::testing {
namespace {

void put(TestSession& s, const std::string& path, std::vector<uint8_t> bytes) {
  LocalBytes local;
  local.bytes = std::move(bytes);
  Upload upload(s.client, path, local, {});
  EXPECT_FALSE(s.run(upload).error);
}

std::string get(TestSession& s, const std::string& path) {
  LocalBytes local;
  Download download(s.client, path, local, {});
  EXPECT_FALSE(s.run(download).error) << path;
  return std::string(as_text(local.bytes));
}

std::vector<uint8_t> text(std::string_view t) { return {as_bytes(t).begin(), as_bytes(t).end()}; }

Attrs attrs_of(TestSession& s, const std::string& path) {
  return s.ask_for<reply::Attributes>(s.client.link_stat(path)).attrs;
}

std::map<std::string, std::string> listing(TestSession& s, const std::string& path) {
  std::map<std::string, std::string> names;
  const DirectoryHandle handle = s.ask_for<reply::DirectoryOpened>(s.client.open_directory(path)).handle;
  while (true) {
    const Reply reply = s.ask(s.client.read_directory(handle));
    const auto* more = std::get_if<reply::Names>(&reply.what);
    if (more == nullptr) {
      EXPECT_EQ(std::get<reply::Status>(reply.what).code, StatusCode::kEof);
      break;
    }
    for (const NameEntry& entry : more->entries) names.emplace(entry.name, entry.long_name);
  }
  EXPECT_EQ(s.status_of(s.client.close(handle)), StatusCode::kOk);
  return names;
}

std::string name_in(const reply::Names& names) {
  return names.entries.size() == 1 ? std::string(names.entries[0].name) : "not one name";
}

}  // namespace

void check_operations(TestSession& s, const std::string& folder) {
  Client& c = s.client;
  const std::string file = folder + "/file", moved = folder + "/moved", sub = folder + "/sub", link = folder + "/link";
  put(s, file, text("hello"));
  EXPECT_EQ(get(s, file), "hello");
  EXPECT_EQ(attrs_of(s, file).size, 5u);
  EXPECT_TRUE(attrs_of(s, file).is_type(kTypeRegular));

  EXPECT_EQ(s.status_of(c.set_attrs(
                file, {.flags = kHasPermissions | kHasTimes, .permissions = 0640, .atime = 1000, .mtime = 2000})),
            StatusCode::kOk);
  EXPECT_EQ(attrs_of(s, file).permissions & kModeMask, 0640u);
  EXPECT_EQ(attrs_of(s, file).mtime, 2000u);
  EXPECT_EQ(s.status_of(c.set_attrs(file, {.flags = kHasSize, .size = 2})), StatusCode::kOk);
  EXPECT_EQ(get(s, file), "he");

  const FileHandle open = s.open(file, kOpenRead | kOpenWrite);
  EXPECT_EQ(s.ask_for<reply::Attributes>(c.stat(open)).attrs.size, 2u);
  EXPECT_EQ(s.status_of(c.set_attrs(open, {.flags = kHasSize | kHasPermissions, .size = 4, .permissions = 0600})),
            StatusCode::kOk);
  EXPECT_EQ(s.status_of(c.close(open)), StatusCode::kOk);
  EXPECT_EQ(attrs_of(s, file).permissions & kModeMask, 0600u);
  EXPECT_EQ(get(s, file), std::string("he\0\0", 4));

  EXPECT_EQ(s.status_of(c.make_directory(sub, with_permissions(0700))), StatusCode::kOk);
  EXPECT_TRUE(attrs_of(s, sub).is_type(kTypeDirectory));
  EXPECT_EQ(s.status_of(c.make_link("file", link)), StatusCode::kOk);
  EXPECT_EQ(name_in(s.ask_for<reply::Names>(c.read_link(link))), "file");
  EXPECT_TRUE(attrs_of(s, link).is_type(kTypeLink));
  EXPECT_TRUE(s.ask_for<reply::Attributes>(c.stat(link)).attrs.is_type(kTypeRegular));
  EXPECT_EQ(name_in(s.ask_for<reply::Names>(c.real_path(sub + "/../link"))), file);
  EXPECT_EQ(name_in(s.ask_for<reply::Names>(c.real_path(folder + "/absent"))), folder + "/absent");

  const auto names = listing(s, folder);
  EXPECT_EQ(names.size(), 5u);
  EXPECT_TRUE(names.contains(".") && names.contains("..") && names.contains("file") && names.contains("sub"));
  EXPECT_TRUE(names.at("file").starts_with("-rw-------")) << names.at("file");
  EXPECT_TRUE(names.at("link").starts_with("l")) << names.at("link");

  EXPECT_EQ(s.status_of(c.rename(file, moved)), StatusCode::kOk);
  EXPECT_EQ(s.status_of(c.remove(link)), StatusCode::kOk);
  EXPECT_EQ(s.status_of(c.remove(moved)), StatusCode::kOk);
  EXPECT_EQ(s.status_of(c.remove_directory(sub)), StatusCode::kOk);

  const FileHandle appended = s.open(file, kOpenWrite | kOpenCreate | kOpenAppend);
  for (const std::string_view word : {"one", "two"}) {
    Result<PayloadPacket> packet = c.begin_write({}, appended, 0, 3);
    ASSERT_TRUE(packet);
    std::copy(word.begin(), word.end(), packet->second().begin());
    EXPECT_EQ(s.status_of(c.commit_write(*packet, 3).id), StatusCode::kOk);
  }
  EXPECT_EQ(s.status_of(c.close(appended)), StatusCode::kOk);
  EXPECT_EQ(get(s, file), "onetwo");
  EXPECT_EQ(s.status_of(c.remove(file)), StatusCode::kOk);
}

void check_extensions(TestSession& s, const std::string& folder) {
  Client& c = s.client;
  s.ask(c.real_path("."));  // the answer to limits@ came before
  for (const ExtensionSpec& spec : extensions()) EXPECT_TRUE(c.supports(spec.id)) << spec.name;
  EXPECT_EQ(c.limits().max_packet, kMaxPacket);
  EXPECT_EQ(c.limits().max_read, kMaxPayload);
  EXPECT_EQ(c.limits().max_write, kMaxPayload);
  EXPECT_GT(c.limits().max_handles, 0u);

  const std::string a = folder + "/a", b = folder + "/b", link = folder + "/link";
  put(s, a, text("aaaa"));
  put(s, b, text("bb"));
  EXPECT_EQ(s.status_of(c.replace(a, b)), StatusCode::kOk);
  EXPECT_EQ(get(s, b), "aaaa");
  EXPECT_EQ(s.status_of(c.make_hard_link(b, a)), StatusCode::kOk);
  EXPECT_EQ(get(s, a), "aaaa");
  EXPECT_EQ(s.status_of(c.remove(a)), StatusCode::kOk);
  EXPECT_EQ(s.status_of(c.make_link("b", link)), StatusCode::kOk);
  EXPECT_EQ(s.status_of(c.set_link_attrs(link, {.flags = kHasTimes, .atime = 77, .mtime = 78})), StatusCode::kOk);
  EXPECT_EQ(attrs_of(s, link).mtime, 78u);
  EXPECT_NE(attrs_of(s, b).mtime, 78u);
  EXPECT_EQ(s.status_of(c.set_link_attrs(link, {.flags = kHasSize, .size = 0})), StatusCode::kBadMessage);

  const StatvfsReply numbers = s.ask_for<reply::FileSystem>(c.statvfs(folder)).numbers;
  EXPECT_GT(numbers.block_size, 0u);
  const FileHandle from = s.open(b, kOpenRead);
  const FileHandle to = s.open(a, kOpenRead | kOpenWrite | kOpenCreate);
  EXPECT_EQ(s.ask_for<reply::FileSystem>(c.statvfs(from)).numbers.max_name, numbers.max_name);
  EXPECT_EQ(s.status_of(c.sync(to)), StatusCode::kOk);
  EXPECT_EQ(s.status_of(c.copy(from, 1, 0, to, 2)), StatusCode::kOk);
  EXPECT_EQ(get(s, a), std::string("\0\0aaa", 5));
  EXPECT_EQ(s.status_of(c.copy(from, 0, 2, to, 0)), StatusCode::kOk);
  EXPECT_EQ(s.status_of(c.copy(from, 0, 0, from, 9)), StatusCode::kFailure);

  // A source that is shorter than what was asked for.
  constexpr uint64_t kPiece = 64 * 1024;
  const auto is_short = [&](uint64_t offset, uint64_t length, StatusCode expected) {
    EXPECT_EQ(s.status_of(c.copy(from, offset, length, to, 0)), expected) << offset << " " << length;
  };
  is_short(0, 9, StatusCode::kOk);
  is_short(0, 2 * kPiece, StatusCode::kOk);
  is_short(0, 2 * kPiece + 1, StatusCode::kEof);
  is_short(0, 9 * kPiece, StatusCode::kEof);
  for (const uint64_t behind_the_end : {4, 100}) {
    is_short(behind_the_end, 0, StatusCode::kOk);
    is_short(behind_the_end, kPiece, StatusCode::kOk);
    is_short(behind_the_end, kPiece + 1, StatusCode::kEof);
  }
  EXPECT_EQ(s.status_of(c.close(from)), StatusCode::kOk);
  EXPECT_EQ(s.status_of(c.close(to)), StatusCode::kOk);

  EXPECT_EQ(name_in(s.ask_for<reply::Names>(c.expand_path(folder + "/./link"))), b);
  EXPECT_EQ(name_in(s.ask_for<reply::Names>(c.expand_path("~/x"))).back(), 'x');
  const uint32_t ids[] = {0, 4000000000};
  const auto accounts = s.ask_for<reply::AccountNames>(c.account_names(ids, std::span(ids).first(1)));
  ASSERT_EQ(accounts.users.size(), 2u);
  EXPECT_EQ(accounts.users[0], "root");
  EXPECT_EQ(accounts.users[1], "");
  ASSERT_EQ(accounts.groups.size(), 1u);
  EXPECT_EQ(accounts.groups[0], "root");
  for (const std::string& path : {a, b, link}) EXPECT_EQ(s.status_of(c.remove(path)), StatusCode::kOk);
}

void check_refusals(TestSession& s, const std::string& folder) {
  Client& c = s.client;
  using enum StatusCode;
  const FileHandle no_file{"none"}, foreign{std::string("\0\0\xff\xff", 4)};
  const std::string file = folder + "/file", other = folder + "/other", absent = folder + "/absent";
  put(s, file, text("x"));
  put(s, other, text("y"));
  EXPECT_EQ(s.status_of(c.open(absent, kOpenRead)), kNoSuchFile);
  EXPECT_EQ(s.status_of(c.open(file, kOpenWrite | kOpenCreate | kOpenExclusive)), kFailure);
  EXPECT_EQ(s.status_of(c.open(file + "/below", kOpenRead)), kNoSuchFile);
  EXPECT_EQ(s.status_of(c.stat(absent)), kNoSuchFile);
  EXPECT_EQ(s.status_of(c.link_stat(absent)), kNoSuchFile);
  EXPECT_EQ(s.status_of(c.set_attrs(absent, with_permissions(0600))), kNoSuchFile);
  EXPECT_EQ(s.status_of(c.remove(absent)), kNoSuchFile);
  EXPECT_EQ(s.status_of(c.remove(folder)), kFailure);
  EXPECT_EQ(s.status_of(c.remove_directory(folder)), kFailure);
  EXPECT_EQ(s.status_of(c.remove_directory(file)), kNoSuchFile);
  EXPECT_EQ(s.status_of(c.make_directory(folder)), kFailure);
  EXPECT_EQ(s.status_of(c.open_directory(file)), kNoSuchFile);
  EXPECT_EQ(s.status_of(c.read_link(file)), kBadMessage);
  EXPECT_EQ(s.status_of(c.rename(file, other)), kFailure);
  EXPECT_EQ(s.status_of(c.rename(absent, other)), kNoSuchFile);
  EXPECT_EQ(s.status_of(c.make_link("t", file)), kFailure);
  EXPECT_EQ(s.status_of(c.make_hard_link(file, other)), kFailure);
  EXPECT_EQ(s.status_of(c.real_path(absent + "/below")), kNoSuchFile);
  EXPECT_EQ(s.status_of(c.expand_path("~nobody-of-that-name")), kNoSuchFile);
  EXPECT_EQ(s.status_of(c.statvfs(absent)), kNoSuchFile);
  for (const FileHandle& handle : {no_file, foreign}) {
    EXPECT_EQ(s.status_of(c.close(handle)), kNoSuchFile);
    EXPECT_EQ(s.status_of(c.read(handle, 0, 10)), kFailure);
    EXPECT_EQ(s.status_of(c.stat(handle)), kFailure);
    EXPECT_EQ(s.status_of(c.set_attrs(handle, with_permissions(0600))), kFailure);
    EXPECT_EQ(s.status_of(c.read_directory({handle.bytes})), kFailure);
    EXPECT_EQ(s.status_of(c.statvfs(handle)), kFailure);
    EXPECT_EQ(s.status_of(c.sync(handle)), kNoSuchFile);
    Result<PayloadPacket> packet = c.begin_write({}, handle, 0, 100);
    ASSERT_TRUE(packet);
    EXPECT_EQ(s.status_of(c.commit_write(*packet, 100).id), kFailure);
  }
  const FileHandle open = s.open(file, kOpenRead);
  EXPECT_EQ(s.status_of(c.read_directory({open.bytes})), kFailure);
  EXPECT_EQ(s.status_of(c.read(open, 1, 10)), kEof);
  EXPECT_EQ(s.status_of(c.read(open, uint64_t{1} << 40, 10)), kEof);
  EXPECT_EQ(s.status_of(c.close(open)), kOk);
  EXPECT_EQ(s.status_of(c.close(open)), kNoSuchFile);
  EXPECT_EQ(s.status_of(c.remove(file)), kOk);
  EXPECT_EQ(s.status_of(c.remove(other)), kOk);
}

void check_transfers(TestSession& s, const std::string& folder) {
  plumb::testing::SeededRandom random;
  const std::string path = folder + "/transfer";
  for (const size_t size :
       {size_t{0}, size_t{1}, size_t{32767}, size_t{32768}, size_t{261120}, size_t{3 * 1024 * 1024 + 7}}) {
    LocalBytes local, back;
    local.bytes = random.bytes(size);
    Upload upload(s.client, path, local, {.attrs_at_end = {.flags = kHasTimes, .atime = 5, .mtime = 6}, .sync = true});
    const TransferResult sent = s.run(upload);
    EXPECT_FALSE(sent.error) << size;
    EXPECT_EQ(sent.contiguous, size);
    EXPECT_EQ(attrs_of(s, path).mtime, 6u);
    Download download(s.client, path, back, {});
    const TransferResult got = s.run(download);
    EXPECT_FALSE(got.error) << size;
    EXPECT_EQ(got.contiguous, size);
    EXPECT_TRUE(back.bytes == local.bytes) << size;

    // Both resumed in the middle.
    const uint64_t middle = size / 2;
    back.bytes.resize(middle);
    Download rest(s.client, path, back, {.offset = middle});
    EXPECT_EQ(s.run(rest).contiguous, size);
    EXPECT_TRUE(back.bytes == local.bytes) << size;
    EXPECT_EQ(s.status_of(s.client.set_attrs(path, {.flags = kHasSize, .size = middle})), StatusCode::kOk);
    Upload again(s.client, path, local, {.offset = middle});
    EXPECT_EQ(s.run(again).contiguous, size);
    EXPECT_TRUE(get(s, path) == as_text(local.bytes)) << size;
  }
  EXPECT_EQ(s.status_of(s.client.remove(path)), StatusCode::kOk);
  EXPECT_EQ(s.client.in_flight(), 0u);
}

}  // namespace plumb::sftp::testing
