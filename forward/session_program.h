// What a session of a server runs once its client has asked for it: a command, or files.
#pragma once

#include "core/bytes.h"

namespace plumb {

class SessionProgram {
 public:
  virtual ~SessionProgram() = default;

  /// Bytes of the client, in order. Window credit is the program's to give.
  virtual void on_data(Bytes data) = 0;
  virtual void on_eof() = 0;

  /// The client reads no more.
  virtual void on_end_of_write() = 0;

  /// Whether there is something that takes signals.
  virtual bool send_signal(int number) = 0;

  /// Passes on what waits.
  virtual void flush() = 0;

  /// Sends at most one message of each output. Whether there may be more.
  virtual bool step() = 0;

  /// Says what has ended. True once all is said, CLOSE included: then nothing else is called any more.
  virtual bool settle() = 0;
};

}  // namespace plumb
