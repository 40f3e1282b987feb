#include "forward/sftp_client.h"

#include <algorithm>
#include <filesystem>

#include "core/overloaded.h"
#include "forward/untrusted_text.h"
#include "sftp/file_get.h"
#include "sftp/file_put.h"
#include "sftp/posix_files.h"

namespace plumb {
namespace {

/// Larger than any packet that a peer takes: `begin_data` gives what fits.
constexpr size_t kWant = 256 * 1024;

constexpr Duration kTick = std::chrono::milliseconds(100);

/// Bytes that wait for the disk; beyond them the server has to wait too.
constexpr size_t kMaxBehind = 8 * 1024 * 1024;

/// Of the server's error output.
constexpr size_t kMaxComplaint = 4096;

/// Paths as the process sees them, relative ones from its working folder on.
template <class Transfer>
SftpResult with_local_files(const std::string& name, Transfer transfer) {
  std::error_code ignored;
  const auto files = sftp::PosixFiles::open({.home = std::filesystem::current_path(ignored).string()});
  if (!files) return {.sentence = describe(files.error())};
  const sftp::FileResult result = transfer(**files);
  SftpResult told{
      .done = result.done(), .sentence = {}, .bytes = result.bytes(), .contiguous = result.transfer.contiguous};
  if (!told.done) told.sentence = on_one_line(name + ": " + sftp::cause_of(result.transfer));
  return told;
}

/// Servers that take the arguments of SYMLINK in the order of the draft from whoever does not call itself OpenSSH.
bool has_link_first(std::string_view server) {
  constexpr std::string_view kNames[] = {"AsyncSSH", "ssh2js", "libssh_"};
  return std::ranges::any_of(kNames, [server](std::string_view name) { return server.find(name) != server.npos; });
}

}  // namespace

SftpClient::SftpClient(LoginRequest request) : request_(std::move(request)), link_(request_, outcome_, *this) {}

SftpClient::~SftpClient() = default;

bool SftpClient::connect() {
  if (!link_.connect()) return false;
  disk_.emplace(link_.io(), [this] { on_disk(); });
  link_.run_until(ready_);
  return usable();
}

bool SftpClient::run(sftp::Task& task, const std::function<void()>& tick) {
  const Error lost{ErrorCode::kClosed, 0, "the connection was lost"};
  if (!usable()) {
    task.abandon(lost);
    return false;
  }
  task_ = &task;
  task.run(Runtime::now());
  settled_ = task.finished();
  link_.wake();
  if (tick) {
    ticker_.emplace(link_.io());
    tick_again(tick);
  }
  link_.run_until(settled_);
  ticker_.reset();
  task_ = nullptr;
  if (task.finished()) return true;
  task.abandon(link_.given_up() ? outcome_.error : lost);
  return false;
}

void SftpClient::tick_again(const std::function<void()>& tick) {
  ticker_->expires_after(kTick);
  ticker_->async_wait([this, &tick](const asio::error_code& error) {
    if (error || task_ == nullptr) return;
    tick();
    tick_again(tick);
  });
}

void SftpClient::close() {
  closing_ = true;
  if (!channel_ || link_.over()) return;
  link_.finish();
  const bool never = false;
  link_.run_until(never);
  link_.stop_timer();
}

void SftpClient::on_authenticated() {
  if (has_link_first(outcome_.server_identification)) client_.put_link_first();
  link_.connection().open_session();
}

void SftpClient::on_channel_event(const Event& event) {
  std::visit(Overloaded{
                 [this](const event::ChannelOpened& e) {
                   channel_ = e.channel;
                   link_.connection().request_subsystem(e.channel, "sftp");
                 },
                 [this](const event::ChannelOpenFailed& e) {
                   give_up({ErrorCode::kUnsupported, 0, "the server opens no session"},
                           request_.host + " opens no session: " + on_one_line(e.description));
                 },
                 [this](const event::ChannelRequestReply& e) {
                   if (e.success) return;
                   give_up({ErrorCode::kUnsupported, 0, "the server has no SFTP"},
                           request_.host + " offers no SFTP to " + request_.user +
                               ": the subsystem was refused; allow it in the server's configuration");
                 },
                 [this](const event::ChannelData& e) { on_data(e); },
                 [this](const event::ExitStatus& e) { end_ = "with the exit status " + std::to_string(e.status); },
                 [this](const event::ExitSignal& e) { end_ = "by the signal " + on_one_line(e.signal); },
                 [this](const event::ChannelClosed&) { on_channel_closed(); },
                 [](const auto&) {},  // of requests that we do not make, and of the server's side
             },
             event);
  settle();
}

void SftpClient::on_data(const event::ChannelData& data) {
  if (data.is_stderr) {
    complaint_ += as_text(data.data.first(std::min(data.data.size(), kMaxComplaint - complaint_.size())));
    return link_.connection().consumed(*channel_, data.data.size());
  }
  bytes_in_ += data.data.size();
  if (!take_replies(data.data)) return;
  ready_ = client_.ready();
  if (disk_->bytes() > kMaxBehind)
    credit_held_ += data.data.size();
  else
    link_.connection().consumed(*channel_, data.data.size());
}

bool SftpClient::take_replies(Bytes in) {
  const bool chatter = !client_.ready() && in[0] != 0;  // no packet of the first ones is that long
  const Time now = Runtime::now();
  const DiskThread::Look look(*disk_);
  while (true) {
    const Result<std::optional<sftp::Reply>> reply = client_.next(in);
    if (!reply) {
      give_up(reply.error(), request_.host + ": " + reply.error().text +
                                 (chatter ? "; the user's shell there seems to print text before SFTP begins" : ""));
      return false;
    }
    if (!*reply) return true;
    if (task_ != nullptr) task_->on_reply(**reply, now);
  }
}

/// Work of the disk is done: tasks go on.
void SftpClient::on_disk() {
  if (task_ == nullptr || link_.given_up() || link_.over()) return;
  if (disk_->bytes() <= kMaxBehind) link_.connection().consumed(*channel_, std::exchange(credit_held_, 0));
  task_->run(Runtime::now());
  settle();
  link_.wake();
}

void SftpClient::on_channel_closed() {
  if (closing_) return;
  const std::string words = on_one_line(complaint_);
  std::string sentence = request_.host + " ended SFTP";
  if (!end_.empty()) sentence += " " + end_;
  if (!words.empty()) sentence += ": " + words;
  give_up({ErrorCode::kClosed, 0, "the server ended SFTP"}, std::move(sentence));
}

void SftpClient::on_turn() {
  if (channel_ && !link_.given_up()) send();
  settle();
}

void SftpClient::send() {
  Connection& connection = link_.connection();
  while (true) {
    const MutBytes space = connection.begin_data(*channel_, kWant);
    if (space.empty()) return;
    size_t n = client_.output(space);
    if (task_ != nullptr && !client_.wants_output()) {
      const DiskThread::Look look(*disk_);
      n += task_->output(space.subspan(n), Runtime::now());
    }
    if (n == 0) return;
    connection.commit_data(*channel_, n);
    bytes_out_ += n;
  }
}

void SftpClient::settle() {
  if (task_ != nullptr && task_->finished()) settled_ = true;
}

void SftpClient::on_over() { settled_ = true; }

uint64_t SftpClient::max_in_flight() const {
  return std::min<uint64_t>(sftp::kMaxFlight, request_.config.channel_window_limit);
}

SftpResult SftpClient::get(const std::string& remote, const std::string& local, const SftpTransferOptions& options) {
  return with_local_files(remote, [&](sftp::Files& files) {
    sftp::FileGet task(client_, remote, files, local,
                       {.resume = options.resume, .max_in_flight = max_in_flight(), .background = &*disk_});
    run(task);
    return task.result();
  });
}

SftpResult SftpClient::put(const std::string& local, const std::string& remote, const SftpTransferOptions& options) {
  return with_local_files(remote, [&](sftp::Files& files) {
    sftp::FilePut task(client_, files, local, remote, {.resume = options.resume, .background = &*disk_});
    run(task);
    return task.result();
  });
}

}  // namespace plumb
