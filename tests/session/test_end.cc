#include "tests/session/test_end.h"

#include <algorithm>
#include <cstring>

namespace plumb::testing {

std::array<uint8_t, 32> seed_bytes(uint64_t seed) {
  std::array<uint8_t, 32> bytes{};
  std::memcpy(bytes.data(), &seed, sizeof seed);
  return bytes;
}

TestEnd::TestEnd(ConnectionConfig config, uint64_t seed) : random_(seed_bytes(seed), host_kernels()) {
  config.random = &random_;
  connection_ = std::make_unique<Connection>(std::move(config), now_);
}

void TestEnd::feed(Bytes bytes, size_t chunk) {
  while (!bytes.empty()) {
    const MutBytes space = connection_->input_space();
    if (space.empty()) return;
    const size_t n = std::min({bytes.size(), space.size(), chunk});
    std::copy_n(bytes.begin(), n, space.begin());
    connection_->input_commit(n);
    bytes = bytes.subspan(n);
    poll();
  }
}

void TestEnd::poll() {
  for (;;) {
    const Event event = connection_->poll(now_);
    if (std::holds_alternative<event::Idle>(event)) return;
    if (const auto* closed = std::get_if<event::Closed>(&event)) {
      if (!closed_) events_.push_back(to_text(event));
      closed_ = *closed;
      return;
    }
    events_.push_back(to_text(event));
    if (const auto* data = std::get_if<event::ChannelData>(&event)) {
      if (received_.size() <= data->channel) received_.resize(data->channel + 1);
      std::vector<uint8_t>& all = received_[data->channel];
      all.insert(all.end(), data->data.begin(), data->data.end());
    }
    if (!intercept || !intercept(event)) answer(event);
  }
}

std::vector<uint8_t> TestEnd::take_output() {
  const Bytes output = connection_->output();
  std::vector<uint8_t> taken(output.begin(), output.end());
  connection_->output_consume(taken.size());
  return taken;
}

size_t TestEnd::count(std::string_view prefix) const {
  return static_cast<size_t>(std::count_if(events_.begin(), events_.end(),
                                           [&](const std::string& event) { return event.starts_with(prefix); }));
}

const std::vector<uint8_t>& TestEnd::received(ChannelId channel) const {
  static const std::vector<uint8_t> kNone;
  return channel < received_.size() ? received_[channel] : kNone;
}

}  // namespace plumb::testing
