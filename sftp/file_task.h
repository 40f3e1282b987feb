// The task of one file, and how it ended.
#pragma once

#include <algorithm>
#include <string>

#include "sftp/transfer.h"

namespace plumb::sftp {

struct FileResult {
  TransferResult transfer;
  uint64_t resumed_at = 0;  ///< bytes that were there before

  bool done() const { return !transfer.error; }
  uint64_t bytes() const { return transfer.contiguous - std::min(resumed_at, transfer.contiguous); }  ///< moved now

  /// Where the local side has no space left, every other file would fail too.
  bool disk_full() const;
};

/// "Permission denied", "No space left on device": the cause, without names and advice. The server's words are its own:
/// print as untrusted.
std::string cause_of(const TransferResult& transfer);

class FileTask : public Task {
 public:
  virtual FileResult result() const = 0;          ///< while it runs: how far it got
  virtual const std::string& source() const = 0;  ///< path
  virtual uint64_t size() const = 0;              ///< of the source, bytes; 0 until it is known
};

}  // namespace plumb::sftp
