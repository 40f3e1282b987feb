// Copies of files and trees without I/O: our server on files in memory, and what hostile ones show.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sftp/file_put.h"
#include "sftp/memory_files.h"
#include "sftp/tree_get.h"
#include "sftp/tree_put.h"
#include "tests/sftp/test_session.h"

namespace plumb::sftp::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

/// Keeps what is told.
struct Heard final : TreeObserver {
  std::vector<std::string> done, failed, skipped, cut_off;
  void on_file(const FileTask& file) override {
    const FileResult result = file.result();
    if (result.done())
      done.push_back(file.source());
    else
      failed.push_back(file.source() + ": " + cause_of(result.transfer));
  }
  void on_cut_off(const FileTask& file) override {
    cut_off.push_back(file.source() + ": " + cause_of(file.result().transfer));
  }
  void on_failed(const std::string& path, const std::string& cause) override { failed.push_back(path + ": " + cause); }
  void on_skipped(const std::string& path, const std::string& cause) override {
    skipped.push_back(path + ": " + cause);
  }
};

/// A client and a server of ours, and as many round trips as it takes.
struct Pair {
  explicit Pair(Files& files) : server(files, {}) {
    while (!client.ready()) turn(nullptr);
  }

  void turn(Task* task) {
    std::vector<uint8_t> space(32768), back(32768);
    size_t n = client.output(space);
    if (task != nullptr && !client.wants_output()) n += task->output(MutBytes(space).subspan(n), Time{});
    to_server.insert(to_server.end(), space.begin(), space.begin() + static_cast<std::ptrdiff_t>(n));
    const Result<size_t> taken = server.input(to_server);
    ASSERT_TRUE(taken);
    to_server.erase(to_server.begin(), to_server.begin() + static_cast<std::ptrdiff_t>(*taken));
    const size_t answered = server.output(back);
    Bytes in = Bytes(back).first(answered);
    while (true) {
      const auto reply = client.next(in);
      ASSERT_TRUE(reply);
      if (!*reply) break;
      ASSERT_TRUE(task != nullptr && task->on_reply(**reply, Time{}));
    }
    most_in_flight = std::max(most_in_flight, client.in_flight());
  }

  void run(Task& task, int turns = 100'000) {
    task.run(Time{});
    for (; turns > 0 && !task.finished() && !::testing::Test::HasFatalFailure(); turns--) turn(&task);
    EXPECT_TRUE(task.finished());
  }

  Client client;
  Server server;
  std::vector<uint8_t> to_server;
  size_t most_in_flight = 0;
};

void make_file(Files& files, const std::string& path, std::string_view content, uint32_t mode = 0644) {
  const auto file = files.open(path, kOpenWrite | kOpenCreate | kOpenTruncate, with_permissions(mode));
  ASSERT_TRUE(file);
  ASSERT_TRUE((*file)->write_at(0, as_bytes(content)));
  ASSERT_TRUE((*file)->set_attrs({.flags = kHasTimes, .atime = 7, .mtime = 8}));
}

std::string content_of(Files& files, const std::string& path) {
  const auto file = files.open(path, kOpenRead, {});
  if (!file) return "none";
  std::vector<uint8_t> bytes(1 << 20);
  return std::string(as_text(Bytes(bytes).first((*file)->read_at(0, bytes).value())));
}

void make_tree(Files& files) {
  ASSERT_TRUE(files.make_directory("/t", 0755));
  ASSERT_TRUE(files.make_directory("/t/sub", 0750));
  ASSERT_TRUE(files.make_directory("/t/sub/empty", 0700));
  for (int i = 0; i < 500; i++) make_file(files, "/t/sub/" + std::to_string(i), std::to_string(i * i), 0600);
  make_file(files, "/t/nothing", "");
  ASSERT_TRUE(files.make_link("nothing", "/t/link"));
  ASSERT_TRUE(files.set_attrs("/t/sub", {.flags = kHasTimes, .atime = 3, .mtime = 4}));
}

void expect_tree(Files& files) {
  for (int i = 0; i < 500; i++) EXPECT_EQ(content_of(files, "/c/sub/" + std::to_string(i)), std::to_string(i * i));
  EXPECT_EQ(content_of(files, "/c/nothing"), "");
  EXPECT_EQ(files.stat("/c/sub/7").value().permissions, kTypeRegular | 0600);
  EXPECT_EQ(files.stat("/c/sub/7").value().mtime, 8u);
  EXPECT_EQ(files.stat("/c/sub").value().permissions, kTypeDirectory | 0750);
  EXPECT_EQ(files.stat("/c/sub").value().mtime, 4u);
  EXPECT_TRUE(files.stat("/c/sub/empty").value().is_type(kTypeDirectory));
  EXPECT_FALSE(files.link_stat("/c/link"));
}

TEST(Tree, C75ComesWithManyFilesInFlight) {
  MemoryFiles there, here;
  make_tree(there);
  Pair pair(there);
  Heard heard;
  TreeGet task(pair.client, "/t", here, "/c", {.recursive = true, .preserve = true}, heard);
  pair.run(task);
  EXPECT_THAT(heard.failed, IsEmpty());
  EXPECT_THAT(heard.skipped, ElementsAre("/t/link: a symbolic link"));
  EXPECT_EQ(heard.done.size(), 501u);
  EXPECT_GT(pair.most_in_flight, 32u);
  EXPECT_EQ(task.progress().files, 501u);
  EXPECT_EQ(task.progress().bytes, task.progress().known);
  expect_tree(here);
}

TEST(Tree, C75GoesWithManyFilesInFlight) {
  MemoryFiles there, here;
  make_tree(here);
  Pair pair(there);
  Heard heard;
  TreePut task(pair.client, here, "/t", "/c", {.recursive = true, .preserve = true}, heard);
  pair.run(task);
  EXPECT_THAT(heard.failed, IsEmpty());
  EXPECT_THAT(heard.skipped, ElementsAre("/t/link: a symbolic link"));
  EXPECT_EQ(heard.done.size(), 501u);
  EXPECT_GT(pair.most_in_flight, 32u);
  expect_tree(there);
}

/// Shows names that no honest server shows.
class HostileFiles final : public MemoryFiles {
 public:
  std::vector<std::string> names;

  Result<std::unique_ptr<sftp::Directory>> open_directory(std::string_view) override {
    return std::make_unique<Shown>(names);
  }

 private:
  class Shown final : public sftp::Directory {
   public:
    explicit Shown(std::vector<std::string> names) : names_(std::move(names)) {}
    Result<std::optional<DirectoryEntry>> next() override {
      if (at_ == names_.size()) return std::optional<DirectoryEntry>();
      return DirectoryEntry{names_[at_++], "", {.flags = kHasPermissions, .permissions = kTypeRegular | 0644}};
    }

   private:
    std::vector<std::string> names_;
    size_t at_ = 0;
  };
};

TEST(Tree, NamesOfAHostileServerStayInTheFolder) {
  HostileFiles there;
  MemoryFiles here;
  ASSERT_TRUE(there.make_directory("/t", 0755));
  make_file(there, "/t/good", "g");
  make_file(there, "/evil", "e");
  there.names = {".", "..", "../evil", "/evil", "", "good", "good", "a/b"};
  Pair pair(there);
  Heard heard;
  TreeGet task(pair.client, "/t", here, "/c", {.recursive = true}, heard);
  pair.run(task);
  EXPECT_THAT(heard.done, ElementsAre("/t/good"));
  EXPECT_EQ(heard.failed.size(), 5u);
  EXPECT_THAT(heard.failed, ::testing::Contains("/t/../evil: the server lists it, but it is no name of a file"));
  EXPECT_THAT(heard.failed, ::testing::Contains("/t/good: the server lists it twice"));
  EXPECT_EQ(content_of(here, "/evil"), "none");
  EXPECT_EQ(content_of(here, "/c/good"), "g");
}

TEST(Tree, AFolderInItselfEnds) {
  MemoryFiles there, here;
  std::string path = "/t";
  for (int i = 0; i < 80; i++, path += "/d") ASSERT_TRUE(there.make_directory(path, 0755));
  Pair pair(there);
  Heard heard;
  TreeGet task(pair.client, "/t", here, "/c", {.recursive = true}, heard);
  pair.run(task);
  ASSERT_EQ(heard.failed.size(), 1u);
  EXPECT_THAT(heard.failed[0], HasSubstr("its folders are too deep"));
}

TEST(Tree, AbandonedKeepsWhatIsThere) {
  MemoryFiles there, here;
  make_file(there, "/f", std::string(1 << 20, 'x'));
  Pair pair(there);
  Heard heard;
  TreeGet task(pair.client, "/f", here, "/f", {}, heard);
  task.run(Time{});
  while (task.progress().bytes == 0) pair.turn(&task);
  task.abandon({ErrorCode::kClosed, 0, "gone"});
  EXPECT_TRUE(task.finished());
  EXPECT_THAT(heard.cut_off, ElementsAre("/f: gone"));
  EXPECT_THAT(heard.failed, IsEmpty());
  EXPECT_EQ(here.stat("/f").value().size, task.progress().bytes);
  Pair again(there);
  TreeGet rest(again.client, "/f", here, "/f", {.resume = true}, heard);
  again.run(rest);
  EXPECT_EQ(content_of(here, "/f"), content_of(there, "/f"));
}

// A folder that was made without the permission to write would keep its files from being gone on with.
TEST(Tree, AbandonedFoldersStayWritable) {
  MemoryFiles there, here;
  ASSERT_TRUE(there.make_directory("/t", 0555));
  make_file(there, "/t/f", std::string(1 << 20, 'x'));
  Pair pair(there);
  Heard heard;
  TreeGet task(pair.client, "/t", here, "/c", {.recursive = true, .preserve = true}, heard);
  task.run(Time{});
  while (task.progress().bytes == 0) pair.turn(&task);
  task.abandon({ErrorCode::kClosed, 0, "gone"});
  EXPECT_THAT(heard.cut_off, ElementsAre("/t/f: gone"));
  EXPECT_EQ(here.stat("/c").value().permissions & 0777, 0755u);
  Pair again(there);
  TreeGet rest(again.client, "/t", here, "/c", {.recursive = true, .resume = true, .preserve = true}, heard);
  again.run(rest);
  EXPECT_EQ(content_of(here, "/c/f"), content_of(there, "/t/f"));
  EXPECT_EQ(here.stat("/c").value().permissions & 0777, 0555u);
}

/// A disk that is always slow; work is done when it is waited for, or one piece a turn.
class SlowDisk final : public Background {
 public:
  bool wanted() const override { return true; }
  void run(size_t, std::function<void()> work, std::function<void()> done) override {
    jobs_.push_back({std::move(work), std::move(done)});
  }
  void wait() override {
    while (step()) {
    }
  }
  bool step() {
    if (jobs_.empty()) return false;
    const auto [work, done] = std::move(jobs_.front());
    jobs_.pop_front();
    work();
    done();
    return true;
  }

 private:
  std::deque<std::pair<std::function<void()>, std::function<void()>>> jobs_;
};

void run_slowly(Pair& pair, Task& task, SlowDisk& disk) {
  task.run(Time{});
  for (int i = 0; i < 100'000 && !task.finished(); i++) {
    pair.turn(&task);
    if (disk.step()) task.run(Time{});
  }
  EXPECT_TRUE(task.finished());
}

TEST(SlowDisk, FilesAreWholeBothWays) {
  MemoryFiles there, here;
  std::string content;
  for (int i = 0; content.size() < 3'000'000; i++) content += std::to_string(i);
  make_file(there, "/f", content);
  Pair pair(there);
  SlowDisk disk;
  FileGet get(pair.client, "/f", here, "/f", {.background = &disk});
  run_slowly(pair, get, disk);
  EXPECT_TRUE(get.result().done());
  FilePut put(pair.client, here, "/f", "/g", {.background = &disk});
  run_slowly(pair, put, disk);
  EXPECT_TRUE(put.result().done()) << cause_of(put.result().transfer);
  for (const char* path : {"/f", "/g"}) {
    const auto file = (path[1] == 'f' ? here : there).open(path, kOpenRead, {});
    ASSERT_TRUE(file);
    std::string read(content.size() + 1, '\0');
    read.resize((*file)->read_at(0, MutBytes(reinterpret_cast<uint8_t*>(read.data()), read.size())).value());
    EXPECT_EQ(read == content, true) << path;
  }
}

TEST(SlowDisk, AFullOneIsToldWithWhatIsThere) {
  MemoryFiles there, here(1'000'000);
  make_file(there, "/f", std::string(3'000'000, 'x'));
  Pair pair(there);
  SlowDisk disk;
  FileGet get(pair.client, "/f", here, "/f", {.background = &disk});
  run_slowly(pair, get, disk);
  EXPECT_TRUE(get.result().disk_full());
  EXPECT_EQ(here.stat("/f").value().size, get.result().transfer.contiguous);
  EXPECT_LE(get.result().transfer.contiguous, 1'000'000u);
}

}  // namespace
}  // namespace plumb::sftp::testing
