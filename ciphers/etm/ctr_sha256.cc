#include "ciphers/etm/ctr_sha256.h"

#include <array>
#include <cstring>

#include "ciphers/mac/sha_kernel.h"
#include "core/check.h"
#include "core/ct.h"
#include "core/secret.h"

namespace plumb {
namespace {

constinit const CtrSha256Kernel* const kTable[] = {
#ifndef PLUMB_PORTABLE
    &kCtrSha256Shani,
#endif
    &kCtrSha256InSeries,
};

constexpr size_t kHead = 4;                // the sequence number
constexpr size_t kClear = 4;               // the length field
constexpr size_t kBlock = 64;              // of SHA-256, and what a turn of the kernel encrypts
constexpr size_t kFirst = kBlock - kHead;  // bytes of the packet in the first block

// How far encryption is ahead of the hash. One block would do, but a hash that reads what was stored just before waits
// until it has left the core, since its loads lie across two stores.
constexpr size_t kAhead = 2 * kBlock;

constexpr size_t kFewest = 256;  // bytes; below that there is little to interleave

}  // namespace

constinit const CtrSha256Kernel kCtrSha256InSeries = {
    .name = "in-series", .needs = {}, .expand_key = nullptr, .crypt_and_hash = nullptr};

KernelTable<CtrSha256Kernel> ctr_sha256_kernels() { return kTable; }

CtrSha256::CtrSha256(Bytes key, const KernelSet& kernels) : kernel_(*kernels.ctr_sha256), sha256_(*kernels.sha256) {
  PLUMB_CHECK(key.size() == 16 || key.size() == 24 || key.size() == 32);
  if (kernel_.expand_key != nullptr) kernel_.expand_key(&key_, key.data(), key.size());
}

CtrSha256::~CtrSha256() { wipe_object(key_); }

bool CtrSha256::gains(const Hmac& hmac, size_t size) const {
  return kernel_.crypt_and_hash != nullptr && hmac.sha256_states() != nullptr && size >= kFewest;
}

void CtrSha256::seal(AesCtr& ctr, const Hmac& hmac, Bytes head, MutBytes packet, MutBytes mac) const noexcept {
  PLUMB_CHECK(gains(hmac, packet.size()));
  const MutBytes body = packet.subspan(kClear);
  const size_t turns = (body.size() - kAhead) / kBlock;
  ShaState<uint32_t> state = hmac.sha256_states()->inner;
  ctr.crypt(body.first(kAhead));
  absorb_first(state, head, packet);
  kernel_.crypt_and_hash(&key_, ctr.counter(), body.data() + kAhead, state.data(), packet.data() + kFirst, turns);
  ctr.crypt(body.subspan(kAhead + kBlock * turns));
  finish(state, *hmac.sha256_states(), packet, kFirst + kBlock * turns, mac);
}

bool CtrSha256::open(AesCtr& ctr, const Hmac& hmac, Bytes head, MutBytes packet, Bytes mac) const noexcept {
  PLUMB_CHECK(gains(hmac, packet.size()));
  const MutBytes body = packet.subspan(kClear);
  const size_t turns = (packet.size() - kFirst) / kBlock;
  ShaState<uint32_t> state = hmac.sha256_states()->inner;
  absorb_first(state, head, packet);
  kernel_.crypt_and_hash(&key_, ctr.counter(), body.data(), state.data(), packet.data() + kFirst, turns);
  SecretArray<kMacSize> right;  // the right MAC of a forged packet is a secret
  finish(state, *hmac.sha256_states(), packet, kFirst + kBlock * turns, right.bytes());
  if (!ct_equal(right.bytes(), mac)) {
    wipe(packet);
    return false;
  }
  ctr.crypt(body.subspan(kBlock * turns));
  return true;
}

void CtrSha256::absorb(ShaState<uint32_t>& state, const uint8_t* data, size_t blocks) const noexcept {
  if (blocks == 0) return;
  uint32_t* words = state.data();
  sha256_.compress(&words, &data, blocks, 1);
}

void CtrSha256::absorb_first(ShaState<uint32_t>& state, Bytes head, Bytes packet) const noexcept {
  PLUMB_CHECK(head.size() == kHead);
  std::array<uint8_t, kBlock> block;
  std::memcpy(block.data(), head.data(), kHead);
  std::memcpy(block.data() + kHead, packet.data(), kFirst);
  absorb(state, block.data(), 1);
}

/// Absorbs the packet from byte `absorbed` on, less than four blocks, and what HMAC does then.
void CtrSha256::finish(ShaState<uint32_t>& state, const HmacStates<uint32_t>& key, Bytes packet, size_t absorbed,
                       MutBytes mac) const noexcept {
  const Bytes rest = packet.subspan(absorbed);
  const size_t whole = rest.size() / kBlock;
  absorb(state, rest.data(), whole);
  std::array<uint8_t, 2 * kBlock> end;
  const size_t used = rest.size() % kBlock;
  if (used != 0) std::memcpy(end.data(), rest.data() + kBlock * whole, used);
  const size_t hashed = kBlock + kHead + packet.size();  // the key block counts
  absorb(state, end.data(), pad_message<uint32_t>(end.data(), used, hashed) / kBlock);

  store_digest(state, end.data(), kMacSize);
  absorb(state = key.outer, end.data(), pad_message<uint32_t>(end.data(), kMacSize, kBlock + kMacSize) / kBlock);
  PLUMB_CHECK(mac.size() == kMacSize);
  store_digest(state, mac.data(), kMacSize);
  wipe_object(end);
  wipe_object(state);
}

}  // namespace plumb
