// An SFTP server without I/O of its own but what `Files` does: bytes of the client in, bytes for the client out.
//
//   taken = server.input(bytes);        // what is not taken comes again
//   n = server.output(space);           // for as long as it gives something
//
// Requests are served in the order in which they come, and so are their replies. A READ is served when there is space
// for its reply, so that the file is read straight into it; a WRITE as its payload comes, piece by piece, never
// gathered. While replies wait for space no more requests are taken: that is the only queue, and it is bounded.
#pragma once

#include <deque>
#include <optional>
#include <vector>

#include "sftp/packet_splitter.h"
#include "sftp/request_server.h"

namespace plumb::sftp {

class Server {
 public:
  /// `files` must outlive the server.
  Server(Files& files, ServerOptions options);

  /// How many bytes of the front of `data` were taken; the others have to be given again after `output` was called. An
  /// error is the client's breach of the protocol: nothing more can be done with this stream.
  Result<size_t> input(Bytes data);

  /// Fills the front of `space` with replies; how many bytes. 0 while `wants_output` means that a copy goes on: call
  /// again. Else there is nothing to send.
  size_t output(MutBytes space);

  bool wants_output() const { return !queue_.empty() || !reads_.empty() || copy_ || !held_.empty(); }

  /// Why the stream cannot go on: what `input` gave, or a request that `output` came to. The channel is to be closed.
  const std::optional<Error>& failure() const { return broken_; }

 private:
  struct PendingRead {
    uint32_t id;
    std::vector<uint8_t> handle;
    uint64_t offset;
    uint32_t length;
  };
  struct PendingWrite {
    uint32_t id;
    File* file;  // null: the payload is thrown away
    uint64_t offset;
    StatusCode status;
  };

  bool can_take() const;
  Result<void> take(const Piece& piece);
  Result<void> serve(Bytes packet);
  void begin_write(const Write& m);
  void write(const Piece& piece);
  void end_write();
  size_t send_read(MutBytes space);
  void continue_copy();

  OutQueue queue_;
  RequestServer requests_;
  PacketSplitter splitter_{PacketSplitter::Payload::kOfWrite};
  bool greeted_ = false;
  std::deque<PendingRead> reads_;  // wait for space
  std::vector<uint8_t> held_;      // a request that waits for the reads before it
  std::optional<PendingWrite> write_;
  std::optional<CopyJob> copy_;
  std::optional<Error> broken_;
};

}  // namespace plumb::sftp
