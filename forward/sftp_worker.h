// An SFTP server on a thread of its own: its calls wait for the disk, the event loop waits for nothing.
//
//   event loop                            thread
//   give ──▶ inbox ──swap──▶ Server::input … Server::output ──▶ blocks ──▶ take
//
// Bytes are copied once on each way. What waits is bounded: the inbox by the channel's window, since credit goes back
// only for what the server has taken, and replies by the number of blocks, while all of which are full the server
// waits.
#pragma once

#include <array>
#include <asio/io_context.hpp>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>

#include "core/buffer.h"
#include "forward/file_threads.h"
#include "sftp/files.h"
#include "sftp/server.h"

namespace plumb {

/// How the service of a channel ended.
struct SftpEnd {
  std::optional<Error> error;  ///< nullopt: the client's input ended, and all of it is answered
};

class SftpWorker : public std::enable_shared_from_this<SftpWorker> {
 public:
  struct Setup {
    std::function<Result<std::unique_ptr<sftp::Files>>()> open_files;  ///< called on the thread, which may wait for it
    sftp::ServerOptions server;
    size_t window;  ///< of the channel, bytes
  };

  /// `wake` is called from the event loop when something below gives another answer than before. `io` must live until
  /// `stop`. kSystem if the system has no thread left.
  static Result<std::shared_ptr<SftpWorker>> start(asio::io_context& io, FileThreads& threads, Setup setup,
                                                   std::function<void()> wake);

  // The event loop's side. None of it waits.
  void give(Bytes data);         ///< what the client sent
  void end_input();              ///< it sends no more
  size_t take_credit();          ///< bytes that were dealt with since the last call
  size_t ready();                ///< replies that can be taken, in bytes; there may be more behind them
  size_t take(MutBytes space);   ///< moves replies to the front of `space`; how many bytes
  std::optional<SftpEnd> end();  ///< once it has ended and all replies are taken
  void stop();                   ///< nobody wants it any more; the thread ends with the call that it is in

 private:
  /// Long enough for the longest DATA, so that files are read straight into it.
  static constexpr size_t kBlockSize = sftp::kMaxPacket;
  /// One is filled and one is emptied; a third keeps both sides from waiting for each other.
  static constexpr size_t kBlocks = 3;

  struct Block {
    std::unique_ptr<uint8_t[]> bytes;
    size_t begin = 0, end = 0;  // of what is there
  };

  SftpWorker(asio::io_context& io, Setup setup, std::function<void()> wake);

  // The thread's side.
  void run();
  Result<void> serve();
  Result<bool> answer(sftp::Server& server);
  bool await_input(Buffer& input);
  MutBytes await_block();
  void fill_block(size_t n);
  bool give_credit(size_t n);
  void tell(const std::lock_guard<std::mutex>& lock);

  asio::io_context& io_;  // only under `mutex_`, and not once `stopped_`
  const Setup setup_;
  const std::function<void()> wake_;  // the event loop's

  std::mutex mutex_;  // held for copies in memory at most, never while a file is used
  std::condition_variable work_;
  Buffer inbox_;
  size_t credit_ = 0;
  size_t first_ = 0, full_ = 0;  // of the blocks
  bool input_ended_ = false;
  bool stopped_ = false;
  bool told_ = false;  // the event loop has yet to hear of it
  std::optional<SftpEnd> end_;

  // Those that are full are the event loop's, the next one is the thread's.
  std::array<Block, kBlocks> blocks_;
};

}  // namespace plumb
