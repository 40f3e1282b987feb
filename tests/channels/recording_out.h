// A PacketOut that keeps what channels send, and refuses data when it is told to.
#pragma once

#include <cstdint>
#include <vector>

#include "channels/packet_out.h"
#include "core/check.h"

namespace plumb::testing {

class RecordingOut final : public PacketOut {
 public:
  MutBytes begin(SendClass kind, size_t max_payload) override {
    if (kind == SendClass::kData && refuses_data) return {};
    space_.assign(max_payload, 0xee);
    return space_;
  }

  void commit(size_t payload) override {
    PLUMB_CHECK(payload >= 1 && payload <= space_.size());
    sent.emplace_back(space_.begin(), space_.begin() + static_cast<std::ptrdiff_t>(payload));
    space_.clear();
  }

  std::vector<uint8_t> numbers() const {
    std::vector<uint8_t> all;
    for (const std::vector<uint8_t>& payload : sent) all.push_back(payload[0]);
    return all;
  }

  bool refuses_data = false;
  std::vector<std::vector<uint8_t>> sent;

 private:
  std::vector<uint8_t> space_;
};

}  // namespace plumb::testing
