// What a client is busy with: a transfer, a tree, one question. Driven by whoever drives the client:
//
//   task.run(now);                                                      // the first requests
//   while (auto reply = client.next(bytes); reply && *reply) task.on_reply(**reply, now);
//   n = client.output(space); n += task.output(space.subspan(n), now);  // what is to be sent
//   … until task.finished()
#pragma once

#include "core/clock.h"
#include "sftp/client_reply.h"

namespace plumb::sftp {

class Task {
 public:
  Task() = default;
  virtual ~Task() = default;
  Task(const Task&) = delete;
  Task& operator=(const Task&) = delete;

  /// Makes the requests that may be made now. `on_reply` does it too.
  virtual void run(Time now) = 0;

  /// False if the reply is not to one of its requests.
  virtual bool on_reply(const Reply& reply, Time now) = 0;

  /// Fills the front of `space` with requests that carry payload; how many bytes. Only while the client has nothing
  /// else to send.
  virtual size_t output(MutBytes space, Time now) {
    (void)space, (void)now;
    return 0;
  }

  /// No reply comes any more: it is finished, with `error` for what was not.
  virtual void abandon(const Error& error) = 0;

  /// Whether no reply is due any more.
  virtual bool finished() const = 0;
};

}  // namespace plumb::sftp
