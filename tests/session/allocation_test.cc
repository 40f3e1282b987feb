// Memory that runs out: whichever allocation of a whole session fails, std::bad_alloc reaches the driver, nothing is
// lost, and no block is given back with a password in it.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <new>

#include "tests/session/bare_pair.h"

namespace {

constexpr char kPassword[] = "Tr0ub4dor&3 of many bytes";

struct Heap {
  bool watching = false;
  long left = 0;  // allocations until one fails; negative: none does
  long made = 0;
  long live = 0;
  bool password_given_back = false;
} heap;

// Each block begins with its size.
constexpr size_t kHeader = alignof(std::max_align_t);

void* take(size_t size) {
  if (heap.watching) {
    heap.made++;
    if (heap.left-- == 0) throw std::bad_alloc();
    heap.live++;
  }
  auto* block = static_cast<unsigned char*>(std::malloc(size + kHeader));
  if (block == nullptr) throw std::bad_alloc();
  std::memcpy(block, &size, sizeof size);
  return block + kHeader;
}

void give_back(void* p) {
  if (p == nullptr) return;
  auto* block = static_cast<unsigned char*>(p) - kHeader;
  size_t size = 0;
  std::memcpy(&size, block, sizeof size);
  if (heap.watching) {
    heap.live--;
    const char* begin = static_cast<const char*>(p);
    const auto found = std::search(begin, begin + size, kPassword, kPassword + sizeof kPassword - 1);
    if (found != begin + size) heap.password_given_back = true;
  }
  std::free(block);
}

}  // namespace

void* operator new(size_t size) { return take(size); }
void* operator new[](size_t size) { return take(size); }
void operator delete(void* p) noexcept { give_back(p); }
void operator delete[](void* p) noexcept { give_back(p); }
void operator delete(void* p, size_t) noexcept { give_back(p); }
void operator delete[](void* p, size_t) noexcept { give_back(p); }

namespace plumb::testing {
namespace {

/// From the start to the second key exchange; whether it was reached.
bool run_session() {
  bool done = false;
  BarePair pair(kPassword);
  pair.on_event = [&done](Connection& c, const Event& event) {
    if (std::holds_alternative<event::ChannelOpened>(event)) c.rekey();
    if (const auto* keys = std::get_if<event::KeysChanged>(&event)) done |= keys->count == 2;
  };
  for (int turn = 0; turn < 20 && !done; turn++) pair.turn();
  return done;
}

/// One run in which allocation number `fails` fails. Whether it got to its end.
bool run_with_failure(long fails) {
  heap = {.watching = true, .left = fails};
  bool done = false;
  try {
    done = run_session();
  } catch (const std::bad_alloc&) {
  }
  heap.watching = false;
  return done;
}

TEST(Allocation, AFailureAnywhereLosesNothingAndLeavesNoPassword) {
  ASSERT_TRUE(run_session());  // what is made once for ever is made
  ASSERT_TRUE(run_with_failure(-1));
  const long all = heap.made;
  EXPECT_EQ(heap.live, 0);
  EXPECT_FALSE(heap.password_given_back);
  ASSERT_GT(all, 200);
  const long stride = std::max(1L, all / 400);
  for (long fails = 0; fails < all; fails += stride) {
    EXPECT_FALSE(run_with_failure(fails)) << fails;
    EXPECT_EQ(heap.live, 0) << "after the failure of allocation " << fails;
    EXPECT_FALSE(heap.password_given_back) << "after the failure of allocation " << fails;
  }
}

}  // namespace
}  // namespace plumb::testing
