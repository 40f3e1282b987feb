// Memory that runs out: whichever allocation of a whole session fails, std::bad_alloc reaches the driver, nothing is
// lost, and no block is given back with a password in it.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <new>

#include "tests/session/test_server.h"

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

struct End {
  std::unique_ptr<ChaChaDrbg> random;
  std::unique_ptr<Connection> connection;
};

End make_end(ConnectionConfig config, uint64_t seed) {
  End end;
  end.random = std::make_unique<ChaChaDrbg>(seed_bytes(seed), host_kernels());
  config.random = end.random.get();
  end.connection = std::make_unique<Connection>(std::move(config), Time());
  return end;
}

void answer(Connection& c, const Event& event, bool& done) {
  if (std::holds_alternative<event::HostKey>(event)) c.accept_host_key();
  if (std::holds_alternative<event::AuthNeeded>(event))
    c.authenticate_password("user", SecretBytes(as_bytes(kPassword)));
  if (std::holds_alternative<event::AuthAttempt>(event)) c.accept_auth();
  if (std::holds_alternative<event::Authenticated>(event)) c.open_session();
  if (const auto* open = std::get_if<event::ChannelOpenRequested>(&event)) c.accept_channel(open->channel);
  if (std::holds_alternative<event::ChannelOpened>(event)) c.rekey();
  if (const auto* keys = std::get_if<event::KeysChanged>(&event)) done |= keys->count == 2;
}

void poll(Connection& c, bool& done) {
  for (;;) {
    const Event event = c.poll(Time());
    if (std::holds_alternative<event::Idle>(event) || std::holds_alternative<event::Closed>(event)) return;
    answer(c, event, done);
  }
}

void move(Connection& from, Connection& to) {
  while (!from.output().empty()) {
    const Bytes output = from.output();
    const MutBytes space = to.input_space();
    if (space.empty()) return;
    const size_t n = std::min(output.size(), space.size());
    std::copy_n(output.begin(), n, space.begin());
    to.input_commit(n);
    from.output_consume(n);
  }
}

/// From the start to the second key exchange; whether it was reached.
bool run_session() {
  ConnectionConfig server_config;
  server_config.role = Role::kServer;
  server_config.host_keys = {&server_host_key()};
  server_config.takes_channels = {open::Session::kName};
  ConnectionConfig client_config;
  client_config.algorithms.kex = {"curve25519-sha256"};
  const End server = make_end(std::move(server_config), 1), client = make_end(std::move(client_config), 2);
  bool done = false;
  for (int turn = 0; turn < 20 && !done; turn++) {
    poll(*client.connection, done);
    move(*client.connection, *server.connection);
    poll(*server.connection, done);
    move(*server.connection, *client.connection);
  }
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
