#include "sftp/local_end.h"

#include <algorithm>
#include <cerrno>

namespace plumb::sftp {
namespace {

/// Read at once, and so many of them ahead.
constexpr size_t kBlock = 1024 * 1024;
constexpr size_t kAhead = 4;

constexpr size_t kGrowth = 4096;

}  // namespace

LocalTarget::LocalTarget(Files& files, std::string path, uint32_t pflags, uint32_t mode, Background* background)
    : files_(files), path_(std::move(path)), pflags_(pflags), mode_(mode), background_(background) {}

Result<void> LocalTarget::open() {
  if (is_open()) return {};
  auto file = files_.open(path_, pflags_, with_permissions(mode_));
  if (!file) return tl::unexpected(file.error());
  late_->file = *std::move(file);
  return {};
}

Result<void> LocalTarget::write_at(uint64_t offset, Bytes data) {
  if (const Result<void> opened = open(); !opened) return opened;
  if (late_->failure) return tl::unexpected(late_->failure->error);
  if (background_ == nullptr || (!background_->wanted() && !busy())) return late_->file->write_at(offset, data);
  struct Write {
    std::vector<uint8_t> bytes;
    Result<void> result;
  };
  const auto write = std::make_shared<Write>(Write{{data.begin(), data.end()}, {}});
  late_->under_way++;
  background_->run(
      data.size(), [late = late_, write, offset] { write->result = late->file->write_at(offset, write->bytes); },
      [late = late_, write, offset] {
        late->under_way--;
        if (write->result) return;
        if (!late->failure) late->failure = Failure{write->result.error(), offset};
        late->failure->from = std::min(late->failure->from, offset);
      });
  return {};
}

Result<size_t> LocalSource::read_at(uint64_t offset, MutBytes space) {
  while (!ahead_.empty() && ahead_.front()->there && !ahead_.front()->error && ahead_.front()->end() <= offset &&
         ahead_.front()->bytes.size() == kBlock)
    ahead_.pop_front();
  if (ahead_.empty() && (background_ == nullptr || !background_->wanted())) return file_->read_at(offset, space);
  read_ahead(offset);
  size_t filled = 0;
  for (const auto& block : ahead_) {
    if (filled == space.size()) break;
    if (!block->there) return os_error(EAGAIN, "the disk is still at it");
    if (block->error) return tl::unexpected(*block->error);
    const uint64_t from = offset + filled;
    if (from >= block->end()) break;  // the end of the file
    const size_t n = std::min<size_t>(space.size() - filled, static_cast<size_t>(block->end() - from));
    std::copy_n(block->bytes.begin() + static_cast<std::ptrdiff_t>(from - block->offset), n,
                space.begin() + static_cast<std::ptrdiff_t>(filled));
    filled += n;
  }
  return filled;
}

void LocalSource::read_ahead(uint64_t offset) {
  while (ahead_.size() < kAhead) {
    const uint64_t begin = ahead_.empty() ? offset : ahead_.back()->offset + kBlock;
    if (!ahead_.empty() && begin >= size_) return;
    const auto block = std::make_shared<Block>();
    block->offset = begin;
    // No more than there is, since many files may be read ahead; a little more shows that one has grown.
    block->bytes.resize(std::min<uint64_t>(kBlock, size_ - std::min(begin, size_) + kGrowth));
    background_->run(
        block->bytes.size(),
        [file = file_, block] {
          const Result<size_t> n = file->read_at(block->offset, block->bytes);
          block->bytes.resize(n.value_or(0));
          if (!n) block->error = n.error();
        },
        [block] { block->there = true; });
    ahead_.push_back(block);
  }
}

}  // namespace plumb::sftp
