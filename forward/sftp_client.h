// Files over SSH: connect, authenticate, the subsystem `sftp`, then one task after the other. Blocking; one connection,
// one channel.
//
//   SftpClient files(request);
//   if (!files.connect()) return files.failure();          // a sentence
//   SftpResult got = files.get("remote.bin", "/tmp/local.bin");
//   SftpResult put = files.put("/tmp/local.bin", "copy.bin");
//   if (!put.done) return put.sentence;
//   files.close();                                         // says good-bye; then files.outcome() is complete
//
// Anything else is a task (sftp/task.h) over `client()`, given to `run`.
#pragma once

#include <string>

#include "forward/client_connection.h"
#include "forward/disk_thread.h"
#include "sftp/client.h"
#include "sftp/task.h"

namespace plumb {

struct SftpResult {
  bool done = false;
  std::string sentence;     ///< what went wrong and what to do; empty if `done`
  uint64_t bytes = 0;       ///< payload moved by this call
  uint64_t contiguous = 0;  ///< bytes from the start of the target that are surely there
};

struct SftpTransferOptions {
  bool resume = false;  ///< go on behind what the target has
};

class SftpClient final : private ClientRole {
 public:
  /// `request.config.channel_window_limit` bounds what a download has in flight.
  explicit SftpClient(LoginRequest request);
  ~SftpClient() override;

  /// False if the server cannot be used: `failure` says why.
  bool connect();

  /// Copies one file. The local file is made under the remote one's mode; a download that fails keeps what is there
  /// without a hole.
  SftpResult get(const std::string& remote, const std::string& local, const SftpTransferOptions& options = {});
  SftpResult put(const std::string& local, const std::string& remote, const SftpTransferOptions& options = {});

  /// Drives `task` until it is finished. False if the connection ended before: then it was abandoned, and `failure`
  /// says why. `tick` is called ten times a second meanwhile, for those who watch.
  bool run(sftp::Task& task, const std::function<void()>& tick = nullptr);

  /// From a handler of `io`: gives up what runs, and the connection; `failure` is then `sentence`.
  void stop(const std::string& sentence) { give_up({ErrorCode::kClosed, 0, "it was stopped"}, sentence); }
  asio::io_context& io() { return link_.io(); }

  /// Bytes of requests that a transfer may have in flight: no more than the window of the channel.
  uint64_t max_in_flight() const;

  /// For tasks with files of a disk that may be slow. After `connect`.
  sftp::Background& background() { return *disk_; }

  /// Makes requests for tasks. After `connect`.
  sftp::Client& client() { return client_; }

  /// Says good-bye. `outcome` is then complete.
  void close();

  /// The connection is there and the server speaks SFTP.
  bool usable() const { return ready_ && !link_.over() && !link_.given_up(); }

  /// Why it is not; empty if nothing went wrong.
  const std::string& failure() const { return outcome_.error_detail; }

  const ConnectionOutcome& outcome() const { return outcome_; }
  uint64_t bytes_in() const { return bytes_in_; }    ///< channel data
  uint64_t bytes_out() const { return bytes_out_; }  ///< channel data

 private:
  void on_authenticated() override;
  void on_channel_event(const Event& event) override;
  void on_turn() override;
  bool complete() const override { return closing_; }
  void on_over() override;

  void on_data(const event::ChannelData& data);
  bool take_replies(Bytes in);
  void on_channel_closed();
  void on_disk();
  void send();
  void settle();
  void tick_again(const std::function<void()>& tick);
  void give_up(const Error& error, std::string detail) { link_.give_up(error, std::move(detail)); }

  LoginRequest request_;
  ConnectionOutcome outcome_;
  ClientConnection link_;
  std::optional<DiskThread> disk_;
  sftp::Client client_;
  std::optional<ChannelId> channel_;  // once the server speaks SFTP on it
  sftp::Task* task_ = nullptr;
  std::optional<asio::steady_timer> ticker_;
  std::string complaint_;  // the server's error output
  std::string end_;        // of the server: "with the exit status 1"
  uint64_t bytes_in_ = 0, bytes_out_ = 0;
  size_t credit_held_ = 0;  // of the channel's window, until the disk has caught up
  bool ready_ = false;
  bool closing_ = false;
  bool settled_ = false;  // what `run` waits for has happened
};

}  // namespace plumb
