#include "bench/ceilings.h"

#include <algorithm>
#include <asio/buffer.hpp>
#include <chrono>
#include <ctime>
#include <thread>
#include <vector>

#include "bench/statistics.h"
#include "core/random.h"
#include "net/tcp.h"

namespace plumb {
namespace {

using Clock = std::chrono::steady_clock;

// A payload of 32 KiB with its headers and padding, as the largest packets of most channels.
constexpr size_t kPacket = 4 + 32 * 1024 + 32;
constexpr int kBatch = 16;
constexpr int kSamples = 7;
constexpr double kSampleSeconds = 0.02;
constexpr size_t kChunk = 256 * 1024;

/// A chunk that begins with a cache line, and not as malloc would have it 16 bytes behind the start of a page: where
/// the kernel's `rep movsb` copies to an address that is 1 to 31 bytes behind that of the source within its page, AMD's
/// Zen 3 takes three times as long, and TCP's own pages begin at their start.
class Chunk {
 public:
  MutBytes bytes() { return {space_.data() + 64 - reinterpret_cast<uintptr_t>(space_.data()) % 64, kChunk}; }

 private:
  std::vector<uint8_t> space_ = std::vector<uint8_t>(kChunk + 64, 'z');
};

double since(Clock::time_point begin) { return std::chrono::duration<double>(Clock::now() - begin).count(); }

/// Processor time of this thread, to the nanosecond: who else is on the core does not count.
double thread_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

SecretBytes random_secret(size_t size) {
  SecretBytes secret(size);
  system_random().fill(secret.bytes());
  return secret;
}

DirectionKeys clone(const DirectionKeys& keys) { return {keys.iv.clone(), keys.key.clone(), keys.mac_key.clone()}; }

/// A batch of packets that one direction of keys seals and opens, again and again.
class Batch {
 public:
  Batch(const CipherSpec& cipher, const MacSpec* mac) {
    const DirectionKeys keys{random_secret(cipher.iv_size), random_secret(cipher.key_size),
                             random_secret(mac != nullptr ? mac->key_size : 0)};
    sealer_ = make_sealer(cipher, mac, clone(keys), host_kernels());
    opener_ = make_opener(cipher, mac, keys, host_kernels());
    const Framing framing = sealer_->framing();
    size_ = kPacket - kPacket % framing.block + (framing.length_is_aad ? 4 : 0);
    tag_ = framing.tag;
    bytes_.resize(kBatch * (size_ + tag_));
  }

  void seal() {
    for (int i = 0; i < kBatch; i++) sealer_->seal(sequence_ + static_cast<uint32_t>(i), packet(i), tag(i));
  }

  void open() {
    for (int i = 0; i < kBatch; i++) {
      const uint32_t sequence = sequence_ + static_cast<uint32_t>(i);
      opener_->open_length(sequence, packet(i).first(opener_->framing().head));
      PLUMB_CHECK(opener_->open(sequence, packet(i), tag(i)));
    }
    sequence_ += kBatch;
  }

  double payload() const { return static_cast<double>(kBatch * size_); }

 private:
  MutBytes packet(int i) { return MutBytes(bytes_).subspan(static_cast<size_t>(i) * (size_ + tag_), size_); }
  MutBytes tag(int i) { return MutBytes(bytes_).subspan(static_cast<size_t>(i) * (size_ + tag_) + size_, tag_); }

  std::unique_ptr<Sealer> sealer_;
  std::unique_ptr<Opener> opener_;
  std::vector<uint8_t> bytes_;
  size_t size_ = 0, tag_ = 0;
  uint32_t sequence_ = 0;
};

}  // namespace

CipherRate cipher_rate(const CipherSpec& cipher, const MacSpec* mac) {
  Batch batch(cipher, mac);
  std::vector<double> seal, open;
  for (int sample = 0; sample < kSamples; sample++) {
    double sealing = 0, opening = 0;
    int batches = 0;
    while (sealing + opening < 2 * kSampleSeconds) {
      const double begin = thread_seconds();
      batch.seal();
      const double middle = thread_seconds();
      batch.open();
      sealing += middle - begin;
      opening += thread_seconds() - middle;
      batches++;
    }
    seal.push_back(batch.payload() * batches / sealing);
    open.push_back(batch.payload() * batches / opening);
  }
  return {median(seal), median(open)};
}

tl::expected<TcpRate, std::string> tcp_rate(uint64_t bytes) {
  const auto runtime = Runtime::create();
  if (!runtime) return tl::unexpected(describe(runtime.error()));
  auto acceptor = listen(**runtime, "127.0.0.1", 0);
  if (!acceptor) return tl::unexpected(describe(acceptor.error()));
  asio::error_code error;
  Tcp::socket writer((*runtime)->io());
  writer.connect(acceptor->local_endpoint(error), error);
  if (error) return tl::unexpected("a TCP connection to ourselves: " + error.message());
  Tcp::socket reader = acceptor->accept(error);
  if (error) return tl::unexpected("a TCP connection to ourselves: " + error.message());

  TcpRate rate;
  std::thread sender([&writer, &rate, bytes] {
    Chunk chunk;
    const MutBytes space = chunk.bytes();
    const double cpu = thread_seconds();
    asio::error_code failure;
    for (uint64_t sent = 0; sent < bytes && !failure;)
      sent += writer.write_some(asio::buffer(space.data(), std::min<uint64_t>(space.size(), bytes - sent)), failure);
    rate.send_cpu = (thread_seconds() - cpu) / static_cast<double>(bytes);
    writer.close(failure);
  });
  Chunk chunk;
  const MutBytes space = chunk.bytes();
  const Clock::time_point begin = Clock::now();
  const double cpu = thread_seconds();
  uint64_t received = 0;
  while (!error) received += reader.read_some(asio::buffer(space.data(), space.size()), error);
  rate.receive_cpu = (thread_seconds() - cpu) / static_cast<double>(bytes);
  rate.bytes_per_second = static_cast<double>(received) / since(begin);
  sender.join();
  if (received != bytes) return tl::unexpected("a TCP connection to ourselves: " + error.message());
  return rate;
}

tl::expected<double, std::string> round_trip(const std::string& host, uint16_t port) {
  constexpr int kTries = 5;
  const auto runtime = Runtime::create();
  if (!runtime) return tl::unexpected(describe(runtime.error()));
  const auto endpoints = resolve(host, port, Runtime::now() + std::chrono::seconds(15));
  if (!endpoints) return tl::unexpected(host + ": " + describe(endpoints.error()));
  std::vector<double> times;
  for (int i = 0; i < kTries; i++) {
    Tcp::socket socket((*runtime)->io());
    asio::error_code error;
    const Clock::time_point begin = Clock::now();
    socket.connect(endpoints->front(), error);
    if (error) return tl::unexpected(to_string(endpoints->front()) + ": " + error.message());
    times.push_back(since(begin));
  }
  return *std::ranges::min_element(times);
}

}  // namespace plumb
