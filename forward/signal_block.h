// Threads that no signal comes to.
#pragma once

#include <csignal>

namespace plumb {

/// While it lives, no signal comes to this thread, nor ever to those that it starts: SIGPIPE and SIGXFSZ would end the
/// whole process for one file, and all others have somebody who waits for them.
class SignalBlock {
 public:
  SignalBlock() {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  ~SignalBlock() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  SignalBlock(const SignalBlock&) = delete;
  SignalBlock& operator=(const SignalBlock&) = delete;

 private:
  sigset_t before_{};
};

}  // namespace plumb
