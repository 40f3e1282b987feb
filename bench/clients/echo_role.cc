#include "bench/clients/echo_role.h"

#include <algorithm>

#include "core/overloaded.h"

namespace plumb {
namespace {

constexpr size_t kMessage = 64;
// The stream is under way by then, and so are the windows.
constexpr uint64_t kFlowing = 64 * 1024 * 1024;
constexpr size_t kSkipped = 20;

}  // namespace

std::vector<double> EchoRole::run() {
  if (link_.connect()) link_.run();
  return times_;
}

void EchoRole::on_authenticated() {
  echo_ = link_.connection().open_session();
  bulk_ = link_.connection().open_session();
}

void EchoRole::on_channel_event(const Event& event) {
  std::visit(Overloaded{
                 [this](const event::ChannelOpened& e) {
                   link_.connection().request_exec(e.channel, e.channel == *echo_ ? command_ : beside_);
                 },
                 [this](const event::ChannelData& e) {
                   link_.connection().consumed(e.channel, e.data.size());
                   if (e.channel == *echo_) return on_echo(e.data.size());
                   bulk_bytes_ += e.data.size();
                 },
                 [this](const event::ChannelClosed&) {
                   link_.give_up({ErrorCode::kClosed, 0, "a channel ended"}, "a command ended before its time");
                 },
                 [](const auto&) {},
             },
             event);
}

void EchoRole::on_echo(size_t bytes) {
  awaited_ -= std::min(awaited_, bytes);
  if (awaited_ > 0) return;
  const double seconds = std::chrono::duration<double>(Runtime::now() - sent_).count();
  if (skipped_ < kSkipped) {
    skipped_++;
  } else {
    times_.push_back(seconds);
  }
  if (complete()) link_.finish();
}

void EchoRole::on_turn() {
  if (awaited_ > 0 || complete() || bulk_bytes_ < kFlowing) return;
  const MutBytes space = link_.connection().begin_data(*echo_, kMessage);
  if (space.size() < kMessage) return;
  std::ranges::fill(space.first(kMessage), uint8_t{'e'});
  sent_ = Runtime::now();
  link_.connection().commit_data(*echo_, kMessage);
  awaited_ = kMessage;
}

}  // namespace plumb
