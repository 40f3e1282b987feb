#include "bench/cipher_cases.h"

#include <algorithm>
#include <chrono>
#include <cstring>

#include "bench/frequency.h"
#include "core/check.h"
#include "core/endian.h"

namespace plumb {
namespace {

constexpr size_t kBatchBytes = 24 * 1024;  // with the code and the keys, within a 32 KiB first-level cache

/// Fixed, distinct bytes: `first`, `first` + 1, …
SecretBytes pattern(size_t size, uint8_t first) {
  SecretBytes bytes(size);
  for (size_t i = 0; i < size; i++) bytes.bytes()[i] = static_cast<uint8_t>(first + i);
  return bytes;
}

DirectionKeys fixed_keys(const Suite& suite) {
  return {pattern(suite.cipher->iv_size, 0x10), pattern(suite.cipher->key_size, 0x20),
          pattern(suite.mac == nullptr ? 0 : suite.mac->size, 0x40)};
}

std::unique_ptr<Sealer> sealer_of(const Suite& suite, const Implementation& implementation) {
  return implementation.make_sealer(*suite.cipher, suite.mac, fixed_keys(suite), implementation.kernels);
}

std::unique_ptr<Opener> opener_of(const Suite& suite, const Implementation& implementation) {
  return implementation.make_opener(*suite.cipher, suite.mac, fixed_keys(suite), implementation.kernels);
}

/// Packets of one size side by side, each with room for its tag, their bodies 64-byte aligned.
class Batch {
 public:
  Batch(Framing framing, size_t bytes, size_t count)
      : framing_(framing),
        packet_(bytes + (framing.length_is_aad ? kLengthField : 0)),
        stride_((kLead + bytes + framing.tag + 63) / 64 * 64),
        count_(count),
        bytes_(stride_ * count + 64) {}

  size_t count() const { return count_; }

  MutBytes packet(size_t i) { return {start(i), packet_}; }
  MutBytes tag(size_t i) { return {start(i) + packet_, framing_.tag}; }

  /// Plaintext as a sender frames it: length, minimal padding length, and anything else.
  void fill() {
    for (size_t i = 0; i < count_; i++) {
      const MutBytes p = packet(i);
      store_be32(p.data(), static_cast<uint32_t>(p.size() - kLengthField));
      p[kLengthField] = 4;
      for (size_t k = kLengthField + 1; k < p.size(); k++) p[k] = static_cast<uint8_t>(k * 31 + 7);
    }
  }

 private:
  static constexpr size_t kLead = 64;  // the length field ends where an aligned line begins

  uint8_t* start(size_t i) {
    uint8_t* aligned = reinterpret_cast<uint8_t*>((reinterpret_cast<uintptr_t>(bytes_.data()) + 63) / 64 * 64);
    return aligned + i * stride_ + kLead - kLengthField;
  }

  Framing framing_;
  size_t packet_;
  size_t stride_;
  size_t count_;
  std::vector<uint8_t> bytes_;
};

void seal_all(Sealer& sealer, Batch& batch, uint32_t& sequence) {
  for (size_t i = 0; i < batch.count(); i++) sealer.seal(sequence++, batch.packet(i), batch.tag(i));
}

bool open_all(Opener& opener, Batch& batch, uint32_t& sequence) {
  const size_t head = opener.framing().head;
  bool good = true;
  for (size_t i = 0; i < batch.count(); i++) {
    const MutBytes packet = batch.packet(i);
    good &= opener.open_length(sequence, packet.first(head)) == packet.size() - kLengthField;
    good &= opener.open(sequence++, packet, batch.tag(i));
  }
  return good;
}

}  // namespace

std::string Suite::name() const {
  std::string text(cipher->name);
  if (mac != nullptr) text.append(" + ").append(mac->name);
  return text;
}

const char* operation_name(Operation operation) { return operation == Operation::kSeal ? "seal" : "open"; }

std::vector<Suite> all_suites(bool every_mac) {
  std::vector<Suite> suites;
  for (const CipherSpec& cipher : cipher_specs()) {
    if (cipher.aead) {
      suites.push_back({&cipher, nullptr});
      continue;
    }
    for (const MacSpec& mac : mac_specs().first(every_mac ? mac_specs().size() : 1)) suites.push_back({&cipher, &mac});
  }
  return suites;
}

Result<void> check_agreement(const Suite& suite, size_t bytes, std::string* detail) {
  const std::vector<Implementation> implementations = implementations_of(*suite.cipher, suite.mac);
  for (const Implementation& from : implementations) {
    for (const Implementation& to : implementations) {
      const std::unique_ptr<Sealer> sealer = sealer_of(suite, from);
      const std::unique_ptr<Opener> opener = opener_of(suite, to);
      Batch batch(sealer->framing(), bytes, 3);
      batch.fill();
      uint32_t sealed = 0, opened = 0;
      seal_all(*sealer, batch, sealed);
      if (open_all(*opener, batch, opened)) continue;
      *detail = from.name + " seals " + suite.name() + " so that " + to.name + " does not open it";
      return fail(ErrorCode::kIntegrity, "two implementations disagree");
    }
  }
  return {};
}

void run_case(benchmark::State& state, const CipherCase& which, const Implementation& implementation) {
  const std::unique_ptr<Sealer> sealer = sealer_of(which.suite, implementation);
  const std::unique_ptr<Opener> opener = opener_of(which.suite, implementation);
  Batch batch(sealer->framing(), which.bytes, std::max<size_t>(1, kBatchBytes / (which.bytes + 128)));
  batch.fill();
  uint32_t sealed = 0, opened = 0;
  bool good = true;
  const double ghz_before = measure_frequency();
  for (auto _ : state) {
    if (which.operation == Operation::kOpen) {
      batch.fill();
      seal_all(*sealer, batch, sealed);
    }
    const auto start = std::chrono::steady_clock::now();
    if (which.operation == Operation::kSeal) {
      seal_all(*sealer, batch, sealed);
    } else {
      good &= open_all(*opener, batch, opened);
    }
    state.SetIterationTime(std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  }
  state.counters["ghz"] = (ghz_before + measure_frequency()) / 2;
  state.counters["packets"] = static_cast<double>(batch.count());
  if (!good) state.SkipWithError("a packet did not open");
}

}  // namespace plumb
