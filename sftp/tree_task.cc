#include "sftp/tree_task.h"

#include <algorithm>

namespace plumb::sftp {
namespace {

/// While files in flight have as much as this before them, no further one is begun: the path is full.
constexpr uint64_t kEnough = 4 * 1024 * 1024;

}  // namespace

void TreeTask::run(Time now) {
  if (finished_) return;
  for (const Active& active : active_) active.task->run(now);
  settle(now);
}

bool TreeTask::on_reply(const Reply& reply, Time now) {
  const auto is_of = [&](const Active& active) { return active.task->on_reply(reply, now); };
  if (!on_own_reply(reply) && std::ranges::find_if(active_, is_of) == active_.end()) return false;
  const auto* data = std::get_if<reply::Data>(&reply.what);
  if (data == nullptr || data->last) settle(now);
  return true;
}

size_t TreeTask::output(MutBytes space, Time now) {
  size_t used = 0;
  for (const Active& active : active_) {
    if (used == space.size() || client_.wants_output()) break;
    used += active.task->output(space.subspan(used), now);
  }
  settle(now);
  return used;
}

void TreeTask::abandon(const Error& error) {
  if (finished_) return;
  abandoned_ = true;
  drop_rest();
  for (const Active& active : active_) active.task->abandon(error);
  reap();
  finished_ = true;
}

// Ends what is over and begins what may be begun; that may be over at once, and make room for more.
void TreeTask::settle(Time now) {
  reap();
  advance(now);
  reap();
  finished_ = active_.empty() && idle();
}

void TreeTask::reap() {
  for (size_t i = 0; i < active_.size();) {
    if (!active_[i].task->finished()) {
      i++;
      continue;
    }
    const Active over = std::move(active_[i]);
    active_.erase(active_.begin() + static_cast<std::ptrdiff_t>(i));
    const FileResult result = over.task->result();
    over_.files += result.done();
    over_.failures += !result.done();
    over_.bytes += result.bytes();
    over_.known += result.done() ? result.bytes() : over.task->size();
    if (abandoned_ && !result.done())
      observer_.on_cut_off(*over.task);
    else
      observer_.on_file(*over.task);
    if (result.disk_full()) drop_rest();
    leave(over.folder);
  }
}

bool TreeTask::has_room() const {
  const uint64_t handles = client_.limits().max_handles;
  const uint64_t most = handles == 0 ? options_.max_files : std::min<uint64_t>(options_.max_files, handles / 2 + 1);
  return active_.size() < most && client_.has_room() && bytes_to_come() < kEnough;
}

uint64_t TreeTask::bytes_to_come() const {
  uint64_t bytes = 0;
  for (const Active& active : active_) {
    const uint64_t there = active.task->result().transfer.contiguous;
    bytes += active.task->size() - std::min(there, active.task->size());
  }
  return bytes;
}

void TreeTask::start(std::unique_ptr<FileTask> task, FolderRef folder, Time now) {
  task->run(now);
  active_.push_back({std::move(task), std::move(folder)});
}

TreeTask::FolderRef TreeTask::enter(std::string source, std::string target, Attrs attrs, FolderRef parent) {
  attrs.extended.clear();  // views into a reply
  auto folder = std::make_shared<Folder>(Folder{.source = std::move(source),
                                                .target = std::move(target),
                                                .attrs = std::move(attrs),
                                                .parent = parent,
                                                .depth = parent == nullptr ? 0 : parent->depth + 1});
  if (parent != nullptr) parent->left++;
  return folder;
}

void TreeTask::leave(FolderRef folder) {
  while (folder != nullptr && --folder->left == 0) {
    if (folder->there && !abandoned_) complete(*folder);
    folder = folder->parent;
  }
}

void TreeTask::failed(const std::string& path, const std::string& cause) {
  over_.failures++;
  observer_.on_failed(path, cause);
}

TreeProgress TreeTask::progress() const {
  TreeProgress now = over_;
  for (const Active& active : active_) {
    const FileResult result = active.task->result();
    now.bytes += result.bytes();
    now.known += active.task->size() - std::min(result.resumed_at, active.task->size());
  }
  if (!active_.empty()) now.current = active_.front().task->source();
  return now;
}

}  // namespace plumb::sftp
