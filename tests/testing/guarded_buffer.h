// A buffer that ends or begins at a page nobody may touch, so that one byte read or written too far is a crash. It sees
// what AddressSanitizer cannot: accesses from assembly and from masked vector instructions.
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>

#include "core/bytes.h"
#include "core/check.h"

namespace plumb::testing {

class GuardedBuffer {
 public:
  enum class Guard { kAfter, kBefore };

  /// `size` zero bytes that touch the guard page on the side of `guard`.
  explicit GuardedBuffer(size_t size, Guard guard = Guard::kAfter) : size_(size) {
    const size_t page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
    const size_t room = std::max(page, (size + page - 1) / page * page);
    mapped_ = room + 2 * page;
    void* block = mmap(nullptr, mapped_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    PLUMB_CHECK(block != MAP_FAILED);
    block_ = static_cast<uint8_t*>(block);
    PLUMB_CHECK(mprotect(block_ + page, room, PROT_READ | PROT_WRITE) == 0);
    data_ = guard == Guard::kBefore ? block_ + page : block_ + page + room - size;
  }

  /// A copy of `source` beside a guard page.
  explicit GuardedBuffer(Bytes source, Guard guard = Guard::kAfter) : GuardedBuffer(source.size(), guard) {
    std::copy(source.begin(), source.end(), data_);
  }

  GuardedBuffer(const GuardedBuffer&) = delete;
  GuardedBuffer& operator=(const GuardedBuffer&) = delete;
  ~GuardedBuffer() { munmap(block_, mapped_); }

  uint8_t* data() { return data_; }
  size_t size() const { return size_; }
  MutBytes bytes() { return {data_, size_}; }
  Bytes bytes() const { return {data_, size_}; }

 private:
  uint8_t* block_;
  uint8_t* data_;
  size_t size_;
  size_t mapped_;
};

}  // namespace plumb::testing
