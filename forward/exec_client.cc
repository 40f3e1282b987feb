#include "forward/exec_client.h"

#include "core/overloaded.h"
#include "forward/exec_channel.h"
#include "forward/local_file.h"
#include "forward/untrusted_text.h"

namespace plumb {
namespace {

/// One run, from a connected socket to the end.
class ExecRun final : public ClientRole {
 public:
  ExecRun(const ExecRequest& request, ExecOutcome& outcome)
      : request_(request), outcome_(outcome), link_(request, outcome, *this) {}

  void run();

  void on_authenticated() override { connection().open_session(); }
  void on_channel_event(const Event& event) override;
  void on_turn() override;
  bool complete() const override { return command_over_; }
  void on_over() override;

 private:
  Connection& connection() { return link_.connection(); }
  void on_reply(const event::ChannelRequestReply& reply);
  void give_up(const Error& error, std::string detail);
  void settle();

  const ExecRequest& request_;
  ExecOutcome& outcome_;
  ClientConnection link_;
  std::unique_ptr<ExecChannel> channel_;
  std::optional<ChannelId> session_;
  bool command_over_ = false;  // the channel is closed: what is left is to write its output
};

void ExecRun::run() {
  if (!link_.connect()) return;
  auto channel = ExecChannel::make(link_.io(), {request_.input_fd, request_.output_fd, request_.error_fd}, connection(),
                                   request_.config.channel_window_limit, request_.flow, [this] {
                                     if (!link_.over()) return link_.wake();
                                     channel_->flush();
                                     settle();
                                   });
  if (!channel) {
    outcome_.error = channel.error();
    outcome_.error_detail = describe(channel.error());
    return;
  }
  channel_ = *std::move(channel);
  link_.run();
  outcome_.bytes_in = channel_->bytes_in();
  outcome_.bytes_out = channel_->bytes_out();
}

void ExecRun::on_channel_event(const Event& event) {
  std::visit(Overloaded{
                 [this](const event::ChannelOpened& e) {
                   session_ = e.channel;
                   channel_->set_channel(e.channel);
                   connection().request_exec(e.channel, request_.command);
                 },
                 [this](const event::ChannelOpenFailed& e) {
                   give_up({ErrorCode::kUnsupported, 0, "the server opens no session"},
                           request_.host + " opens no session: " + on_one_line(e.description));
                 },
                 [this](const event::ChannelData& e) { channel_->on_data(e); },
                 [](const event::ChannelWritable&) {},  // every turn asks for space anyway
                 [this](const event::ChannelRequestReply& e) { on_reply(e); },
                 [](const event::ChannelEof&) {},  // the status and CLOSE follow (C66)
                 [this](const event::ChannelEndOfWrite&) { channel_->stop_input(); },
                 [this](const event::ExitStatus& e) {
                   outcome_.exited = true;
                   outcome_.exit_status = e.status;
                 },
                 [this](const event::ExitSignal& e) { outcome_.exit_signal = on_one_line(e.signal); },
                 [this](const event::ChannelClosed&) {
                   command_over_ = true;
                   channel_->stop_input();  // whether it has ended or not
                 },
                 [](const auto&) {},  // of requests that we do not make, and of the server's side
             },
             event);
}

void ExecRun::on_reply(const event::ChannelRequestReply& reply) {
  if (reply.success) return channel_->start();
  give_up({ErrorCode::kUnsupported, 0, "the server does not run commands"},
          request_.host + " does not run this command for " + request_.user + ": the exec request was refused");
}

void ExecRun::on_turn() {
  channel_->on_turn();
  settle();
}

/// Ends what can be ended: the connection once the output of a command that is over is written, and the run once the
/// connection is over too.
void ExecRun::settle() {
  if (const auto& failure = channel_->failure()) give_up(*failure, describe(*failure));
  const bool no_more_output = command_over_ || link_.over();
  if (!link_.given_up() && !(no_more_output && channel_->drained())) return;
  link_.finish();
  if (!link_.over()) return;
  channel_->stop();
  link_.stop_timer();
}

/// Ends the run from our side: nothing that still waits to be written is worth the wait.
void ExecRun::give_up(const Error& error, std::string detail) {
  // A command whose output nobody reads learns of it by the CLOSE (C67).
  if (session_) connection().close(*session_);
  link_.give_up(error, std::move(detail));
}

void ExecRun::on_over() {
  channel_->stop_input();
  channel_->flush();
  settle();
}

}  // namespace

ExecOutcome run_exec(const ExecRequest& request) {
  const SigpipeBlock no_sigpipe;
  ExecOutcome outcome;
  ExecRun(request, outcome).run();
  return outcome;
}

}  // namespace plumb
