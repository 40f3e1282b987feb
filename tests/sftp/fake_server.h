// A server that says what a test wants: answers gathered, changed, shuffled and sent.
#pragma once

#include <functional>
#include <vector>

#include "tests/sftp/test_session.h"
#include "tests/testing/seeded_random.h"

namespace plumb::sftp::testing {

class FakeServer : public Wire {
 public:
  std::vector<uint8_t> content;                     ///< of the one file that there is
  std::optional<uint64_t> size;                     ///< what STAT says; without one it refuses
  std::vector<NamePair> extensions;                 ///< announced
  std::optional<LimitsReply> limits;                ///< what limits@ says; refused without
  std::function<size_t(size_t)> shorten;            ///< how much of a DATA is sent; all if not set
  std::function<bool(uint64_t, uint64_t)> refuses;  ///< a READ or WRITE of this range
  bool shuffle = false;

  size_t max_reads_waiting = 0;  ///< as seen
  size_t reads = 0, reads_beyond_end = 0;
  uint32_t longest_read = 0, longest_write = 0;

  void send(Bytes bytes) override {
    while (true) {
      const Result<std::optional<Piece>> piece = splitter_.next(bytes);
      if (!piece || !*piece) return;
      if (!(*piece)->packet.empty()) packet_.assign((*piece)->packet.begin(), (*piece)->packet.end());
      payload_.insert(payload_.end(), (*piece)->payload.begin(), (*piece)->payload.end());
      if ((*piece)->payload_left != 0) continue;
      answer(packet_);
      payload_.clear();
    }
  }

  size_t receive(MutBytes space) override {
    if (out_.empty()) flush();
    const size_t n = std::min({space.size(), out_.size(), size_t{1} + random_.below(5000)});
    std::copy_n(out_.begin(), n, space.begin());
    out_.erase(out_.begin(), out_.begin() + static_cast<std::ptrdiff_t>(n));
    return n;
  }

  template <class M>
  void say(const M& message) {
    answers_.emplace_back();
    append_packet(message, answers_.back());
  }
  void say_bytes(std::vector<uint8_t> bytes) { answers_.push_back(std::move(bytes)); }
  void say_data(uint32_t id, Bytes bytes) {
    say(Data{.id = id, .length = static_cast<uint32_t>(bytes.size())});
    std::vector<uint8_t>& packet = answers_.back();
    packet.insert(packet.end(), bytes.begin(), bytes.end());
    store_be32(packet.data(), static_cast<uint32_t>(packet.size() - 4));
  }
  void say_status(uint32_t id, StatusCode code) {
    say(Status{.id = id, .code = static_cast<uint32_t>(code), .message = "said the test", .language = {}});
  }

  /// In place of the answers below; true if it dealt with the request.
  std::function<bool(Bytes packet)> intercept;

 private:
  void answer(Bytes packet) {
    static constexpr std::array<uint8_t, 1> kHandle = {'h'};
    const uint32_t id = load_be32(packet.data() + 1);
    if (intercept && intercept(packet)) return;
    if (packet[0] == Init::kId) return say(Version{.extensions = extensions});
    if (packet[0] == Open::kId) return say(HandleReply{{id, kHandle}});
    if (packet[0] == Stat::kId && size) return say(AttrsReply{.id = id, .attrs = {.flags = kHasSize, .size = *size}});
    if (packet[0] == Read::kId) return answer_read(*parse<Read>(packet));
    if (packet[0] == Write::kId) return answer_write(*parse<Write>(packet));
    if (packet[0] == Extended::kId && limits) {
      std::vector<uint8_t> body;
      append_fields(*limits, body);
      return say(ExtendedReply{.id = id, .rest = body});
    }
    say_status(id, packet[0] == Close::kId ? StatusCode::kOk : StatusCode::kFailure);
  }

  void answer_read(const Read& m) {
    reads++;
    longest_read = std::max(longest_read, m.length);
    if (m.offset >= content.size()) reads_beyond_end++;
    if (refuses && refuses(m.offset, m.offset + m.length)) return say_status(m.id, StatusCode::kFailure);
    if (m.offset >= content.size()) return say_status(m.id, StatusCode::kEof);
    size_t n = std::min<size_t>(m.length, content.size() - m.offset);
    if (shorten) n = std::clamp<size_t>(shorten(n), 1, n);
    say_data(m.id, Bytes(content).subspan(m.offset, n));
  }

  void answer_write(const Write& m) {
    longest_write = std::max(longest_write, m.length);
    if (refuses && refuses(m.offset, m.offset + m.length)) return say_status(m.id, StatusCode::kFailure);
    content.resize(std::max<size_t>(content.size(), m.offset + payload_.size()));
    std::copy(payload_.begin(), payload_.end(), content.begin() + static_cast<std::ptrdiff_t>(m.offset));
    say_status(m.id, StatusCode::kOk);
  }

  void flush() {
    max_reads_waiting = std::max(max_reads_waiting, answers_.size());
    for (size_t i = answers_.size(); shuffle && i > 1; i--) std::swap(answers_[i - 1], answers_[random_.below(i)]);
    for (const auto& packet : answers_) out_.insert(out_.end(), packet.begin(), packet.end());
    answers_.clear();
  }

  plumb::testing::SeededRandom random_;
  PacketSplitter splitter_{PacketSplitter::Payload::kOfWrite};
  std::vector<uint8_t> packet_, payload_;
  std::vector<std::vector<uint8_t>> answers_;
  std::vector<uint8_t> out_;
};

}  // namespace plumb::sftp::testing
