#include "bench/cipher_cases.h"

#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <cstring>

#include "bench/batch.h"
#include "bench/frequency.h"
#include "bench/turns.h"
#include "core/check.h"

namespace plumb {
namespace {

using Clock = std::chrono::steady_clock;

constexpr size_t kBatchBytes = 24 * 1024;  // with the code and the keys, within a 32 KiB first-level cache
constexpr int kTries = 12;                 // of a sample that keeps being interrupted
constexpr uint32_t kFarApart = 0x10001;    // between sequence numbers that do not follow each other
constexpr int kWarmUp = 8;                 // batches

size_t packets_per_batch(const CipherCase& which) {
  const size_t fitting = std::max<size_t>(1, kBatchBytes / (which.bytes + 128));
  return std::max<size_t>(1, fitting / which.at_once) * which.at_once;
}

/// What reading the clock twice costs, in nanoseconds: at its least, which is when nothing interferes.
double clock_cost() {
  static const double cost = [] {
    double least = 1e9;
    for (int i = 0; i < 1000; i++) {
      const auto start = Clock::now();
      least = std::min(least, std::chrono::duration<double, std::nano>(Clock::now() - start).count());
    }
    return least;
  }();
  return cost;
}

/// How often the system has taken the core away from this thread.
long interruptions() {
  rusage usage{};
  PLUMB_CHECK(getrusage(RUSAGE_SELF, &usage) == 0);
  return usage.ru_nivcsw;
}

bool open_one(Opener& opener, uint32_t sequence, const PacketRef& p) {
  const uint32_t length = opener.open_length(sequence, p.packet.first(opener.framing().head));
  return length == p.packet.size() - kLengthField && opener.open(sequence, p.packet, p.tag);
}

void seal_call(Sealer& sealer, uint32_t sequence, std::span<const PacketRef> packets) {
  if (packets.size() == 1) {
    sealer.seal(sequence, packets[0].packet, packets[0].tag);
  } else {
    sealer.seal_many(sequence, packets);
  }
}

bool open_call(Opener& opener, uint32_t sequence, std::span<const PacketRef> packets) {
  const size_t step = opener.in_step();
  for (size_t i = 0; i < packets.size(); i++, sequence++) {
    const std::span<const PacketRef> next = packets.subspan(i, std::min(step, packets.size() - i));
    if (i % step == 0 && next.size() > 1) opener.verify_ahead(sequence, next);
    if (!open_one(opener, sequence, packets[i])) return false;
  }
  return true;
}

Result<void> disagree(std::string* detail, const Suite& suite, const std::string& a, const std::string& b) {
  *detail = a + " and " + b + " differ at " + suite.name();
  return fail(ErrorCode::kIntegrity, "two implementations disagree");
}

}  // namespace

std::string_view operation_name(Operation operation) {
  constexpr std::string_view kNames[] = {"seal", "open", "seal+open", "write", "read"};
  return kNames[static_cast<size_t>(operation)];
}

std::string CipherCase::label() const {
  std::string text(operation_name(operation));
  if (at_once > 1) text += ", " + std::to_string(at_once) + " at once";
  if (!look_ahead) text += ", no look-ahead";
  return text;
}

bool possible(const CipherCase& which) {
  if (which.operation == Operation::kSeal) return true;
  if (which.suite->primitive()) return false;
  if (which.operation >= Operation::kWrite) return which.look_ahead;
  return which.at_once == 1 || which.suite->length_known;
}

Result<void> check_agreement(const Suite& suite, size_t bytes, std::string* detail) {
  const Implementation& judge = suite.implementations.front();
  const std::unique_ptr<Sealer> right = judge.make_sealer();
  constexpr size_t kPackets = 3;
  Batch expected(right->framing(), bytes, kPackets);
  expected.fill();
  for (uint32_t i = 0; i < kPackets; i++) seal_call(*right, i, expected.packets().subspan(i, 1));

  for (const Implementation& other : suite.implementations) {
    const std::unique_ptr<Sealer> sealer = other.make_sealer();
    Batch batch(sealer->framing(), bytes, kPackets);
    batch.fill();
    for (uint32_t i = 0; i < kPackets; i++) {
      seal_call(*sealer, i, batch.packets().subspan(i, 1));
      const bool same = std::ranges::equal(batch.packets()[i].packet, expected.packets()[i].packet) &&
                        std::ranges::equal(batch.packets()[i].tag, expected.packets()[i].tag);
      if (!same) return disagree(detail, suite, other.name, judge.name);
    }
    if (suite.primitive()) continue;
    const std::unique_ptr<Opener> opener = other.make_opener();
    for (uint32_t i = 0; i < kPackets; i++) {
      if (!open_call(*opener, i, batch.packets().subspan(i, 1))) return disagree(detail, suite, other.name, judge.name);
    }
  }
  return {};
}

struct CaseRunner::Impl {
  Impl(const CipherCase& which_case, const Implementation& implementation)
      : which(which_case),
        sealer(implementation.make_sealer()),
        opener(implementation.make_opener ? implementation.make_opener() : nullptr),
        batch(sealer->framing(), which.bytes, packets_per_batch(which)) {
    if (which.operation >= Operation::kWrite)
      turns = std::make_unique<Turns>(implementation, which.bytes, batch.packets().size(), which.at_once);
    batch.fill();
    for (int i = 0; i < kWarmUp; i++) run_batch();
  }

  /// One batch; its measured time in nanoseconds.
  double run_batch() {
    if (turns != nullptr) return run_turns();
    if (which.operation == Operation::kOpen) {
      batch.fill();
      for_each_call(
          [&](uint32_t sequence, std::span<const PacketRef> packets) { seal_call(*sealer, sequence, packets); });
    }
    const auto start = Clock::now();
    for_each_call([&](uint32_t sequence, std::span<const PacketRef> packets) {
      if (which.operation != Operation::kOpen) seal_call(*sealer, sequence, packets);
      if (which.operation != Operation::kSeal) good &= open_call(*opener, sequence, packets);
    });
    const double elapsed = std::chrono::duration<double, std::nano>(Clock::now() - start).count();
    first_sequence += static_cast<uint32_t>(batch.packets().size()) * (which.look_ahead ? 1 : kFarApart);
    return elapsed - clock_cost();
  }

  double run_turns() {
    const bool reading = which.operation == Operation::kRead;
    if (reading) turns->prepare();
    const auto start = Clock::now();
    if (reading) {
      good &= turns->read();
    } else {
      turns->write();
    }
    return std::chrono::duration<double, std::nano>(Clock::now() - start).count() - clock_cost();
  }

  template <class Call>
  void for_each_call(Call call) {
    uint32_t sequence = first_sequence;
    for (size_t i = 0; i < batch.packets().size(); i += which.at_once) {
      call(sequence, batch.packets().subspan(i, which.at_once));
      sequence += which.look_ahead ? static_cast<uint32_t>(which.at_once) : kFarApart;
    }
  }

  CipherCase which;
  std::unique_ptr<Sealer> sealer;
  std::unique_ptr<Opener> opener;
  Batch batch;
  std::unique_ptr<Turns> turns;  ///< of writing and reading
  uint32_t first_sequence = 0;
  bool good = true;
};

CaseRunner::CaseRunner(const CipherCase& which, const Implementation& implementation)
    : impl_(std::make_unique<Impl>(which, implementation)) {}
CaseRunner::~CaseRunner() = default;
CaseRunner::CaseRunner(CaseRunner&&) noexcept = default;

std::optional<Sample> CaseRunner::sample(double seconds) {
  Sample best{};
  for (int i = 0; i < kTries; i++) {
    const long before = interruptions();
    // The faster of the two readings: what disturbs one can only make it look slow.
    const double ghz = measure_frequency();
    double measured = 0;
    double packets = 0;
    while (measured < seconds * 1e9) {
      measured += impl_->run_batch();
      packets += static_cast<double>(impl_->batch.packets().size());
    }
    const Sample sample{measured / packets, std::max(ghz, measure_frequency()), interruptions() != before};
    if (!impl_->good) return std::nullopt;
    if (!sample.interrupted) return sample;
    if (i == 0 || sample.ns_per_packet < best.ns_per_packet) best = sample;  // the least disturbed
  }
  return best;
}

}  // namespace plumb
