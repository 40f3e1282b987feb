#include "ciphers/mac/hmac.h"

#include <algorithm>
#include <cstring>
#include <variant>

#include "ciphers/mac/sha_kernel.h"
#include "ciphers/mac/sha_state.h"
#include "core/check.h"
#include "core/secret.h"

namespace plumb {
namespace {

constexpr size_t kMaxLanes = 8;

/// One message on its way. Its blocks come in three runs: those put together in `edge` before and after the blocks that
/// lie whole in the body; a short message has the first run alone.
template <class Word>
struct Lane {
  static constexpr size_t kBlock = kShaBlock<Word>;
  static constexpr size_t kEdgeBlocks = 4;
  static constexpr size_t kRuns = 3;

  struct Run {
    const uint8_t* data;
    size_t blocks;
  };

  ShaState<Word> state;
  Run run[kRuns];
  uint8_t edge[kEdgeBlocks * kBlock];

  /// Lays out the message behind a key block, which counts in its length.
  void lay_out(const MacJob& job) {
    PLUMB_CHECK(job.head.size() <= kBlock);
    const size_t size = job.head.size() + job.body.size();
    uint8_t* at = append(edge, job.head);
    if (size + 2 * kBlock <= sizeof edge) {
      append(at, job.body);
      const size_t whole = size / kBlock * kBlock;
      const size_t padded = pad_message<Word>(edge + whole, size - whole, kBlock + size);
      run[0] = {edge, (whole + padded) / kBlock};
      run[1] = run[2] = {edge, 0};
      return;
    }
    const size_t lead = kBlock - job.head.size();
    append(at, job.body.first(lead));
    const Bytes rest = job.body.subspan(lead);
    const size_t whole = rest.size() / kBlock;
    uint8_t* const tail = edge + kBlock;
    append(tail, rest.subspan(whole * kBlock));
    const size_t padded = pad_message<Word>(tail, rest.size() % kBlock, kBlock + size);
    run[0] = {edge, 1};
    run[1] = {rest.data(), whole};
    run[2] = {tail, padded / kBlock};
  }

  /// Lays out the digest in `state` as the message of the outer hash.
  void lay_out_digest(size_t digest_size) {
    store_digest(state, edge, digest_size);
    const size_t padded = pad_message<Word>(edge, digest_size, kBlock + digest_size);
    run[0] = {edge, padded / kBlock};
  }

 private:
  static uint8_t* append(uint8_t* at, Bytes bytes) {
    if (!bytes.empty()) std::memcpy(at, bytes.data(), bytes.size());
    return at + bytes.size();
  }
};

/// One hash function, one key.
template <class Word>
class KeyedHash {
 public:
  KeyedHash(HashId id, Bytes key, const ShaState<Word>& start, const ShaKernel<Word>& many, const ShaKernel<Word>& one)
      : many_(many), one_(one), id_(id), digest_size_(hash_size(id)), states_{start, start} {
    SecretArray<kBlock> block;
    if (key.size() > kBlock) {
      hash(id, key, block.bytes().first(digest_size_));
    } else {
      std::copy(key.begin(), key.end(), block.data());
    }
    absorb_key(states_.inner, block, 0x36);
    absorb_key(states_.outer, block, 0x36 ^ 0x5c);
  }

  KeyedHash(const KeyedHash&) = delete;
  KeyedHash& operator=(const KeyedHash&) = delete;

  ~KeyedHash() { wipe_object(states_); }

  HashId id() const { return id_; }
  size_t in_step() const { return std::min(many_.lanes, kMaxLanes); }
  const HmacStates<Word>& states() const { return states_; }

  void compute_many(std::span<const MacJob> jobs) const noexcept {
    while (!jobs.empty()) {
      const size_t count = std::min(jobs.size(), in_step());
      compute_in_step(jobs.first(count));
      jobs = jobs.subspan(count);
    }
  }

 private:
  static constexpr size_t kBlock = kShaBlock<Word>;

  /// Leaves the block XORed with the pad.
  void absorb_key(ShaState<Word>& state, SecretArray<kBlock>& block, uint8_t pad) {
    for (uint8_t& b : block.bytes()) b ^= pad;
    Word* words = state.data();
    const uint8_t* data = block.data();
    one_.compress(&words, &data, 1, 1);
  }

  void compute_in_step(std::span<const MacJob> jobs) const noexcept {
    Lane<Word> lanes[kMaxLanes];
    const std::span<Lane<Word>> used(lanes, jobs.size());
    for (size_t i = 0; i < jobs.size(); i++) {
      PLUMB_CHECK(jobs[i].mac.size() == digest_size_);
      used[i].state = states_.inner;
      used[i].lay_out(jobs[i]);
    }
    for (size_t run = 0; run < Lane<Word>::kRuns; run++) advance(used, run);
    for (Lane<Word>& lane : used) {
      lane.lay_out_digest(digest_size_);
      lane.state = states_.outer;
    }
    advance(used, 0);
    for (size_t i = 0; i < jobs.size(); i++) {
      store_digest(used[i].state, jobs[i].mac.data(), digest_size_);
      wipe_object(used[i]);
    }
  }

  /// Takes every lane to the end of one of its runs: all together for as long as all have blocks, then those that have.
  void advance(std::span<Lane<Word>> lanes, size_t run) const noexcept {
    for (;;) {
      Word* states[kMaxLanes];
      const uint8_t* data[kMaxLanes];
      size_t count = 0;
      size_t blocks = SIZE_MAX;
      for (Lane<Word>& lane : lanes) {
        if (lane.run[run].blocks == 0) continue;
        states[count] = lane.state.data();
        data[count++] = lane.run[run].data;
        blocks = std::min(blocks, lane.run[run].blocks);
      }
      if (count == 0) return;
      const ShaKernel<Word>& kernel = count < many_.worth_from ? one_ : many_;
      kernel.compress(states, data, blocks, count);
      for (Lane<Word>& lane : lanes) {
        if (lane.run[run].blocks == 0) continue;
        lane.run[run].blocks -= blocks;
        lane.run[run].data += blocks * kBlock;
      }
    }
  }

  const ShaKernel<Word>& many_;
  const ShaKernel<Word>& one_;
  HashId id_;
  size_t digest_size_;
  HmacStates<Word> states_;
};

}  // namespace

struct Hmac::Impl {
  using Keyed32 = KeyedHash<uint32_t>;
  using Keyed64 = KeyedHash<uint64_t>;

  Impl(HashId id, Bytes key, const KernelSet& kernels) {
    const Sha256Kernel& one_256 = *sha256_kernels().back();
    const Sha512Kernel& one_512 = *sha512_kernels().back();
    switch (id) {
      case HashId::kSha1: keyed.emplace<Keyed32>(id, key, kSha1Start, kSha1Libcrypto, kSha1Libcrypto); return;
      case HashId::kSha256: keyed.emplace<Keyed32>(id, key, kSha256Start, *kernels.sha256, one_256); return;
      case HashId::kSha384: keyed.emplace<Keyed64>(id, key, kSha384Start, *kernels.sha512, one_512); return;
      case HashId::kSha512: keyed.emplace<Keyed64>(id, key, kSha512Start, *kernels.sha512, one_512); return;
    }
    check_failed("a hash of the table", __FILE__, __LINE__);
  }

  std::variant<std::monostate, Keyed32, Keyed64> keyed;
};

Hmac::Hmac(HashId id, Bytes key, const KernelSet& kernels) : impl_(std::make_unique<Impl>(id, key, kernels)) {}
Hmac::Hmac(Hmac&&) noexcept = default;
Hmac& Hmac::operator=(Hmac&&) noexcept = default;
Hmac::~Hmac() = default;

void Hmac::compute(Bytes head, Bytes body, MutBytes mac) const noexcept {
  const MacJob job{head, body, mac};
  compute_many({&job, 1});
}

void Hmac::compute_many(std::span<const MacJob> jobs) const noexcept {
  if (const auto* keyed = std::get_if<Impl::Keyed32>(&impl_->keyed)) return keyed->compute_many(jobs);
  std::get_if<Impl::Keyed64>(&impl_->keyed)->compute_many(jobs);
}

size_t Hmac::in_step() const noexcept {
  if (const auto* keyed = std::get_if<Impl::Keyed32>(&impl_->keyed)) return keyed->in_step();
  return std::get_if<Impl::Keyed64>(&impl_->keyed)->in_step();
}

const HmacStates<uint32_t>* Hmac::sha256_states() const noexcept {
  const auto* keyed = std::get_if<Impl::Keyed32>(&impl_->keyed);
  return keyed != nullptr && keyed->id() == HashId::kSha256 ? &keyed->states() : nullptr;
}

}  // namespace plumb
