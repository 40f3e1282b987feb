// Asking the person at the terminal, whatever standard input and output are connected to.
#pragma once

#include <optional>
#include <string>

#include "core/secret.h"

namespace plumb {

class Terminal {
 public:
  /// nullopt if the process has no controlling terminal.
  static std::optional<Terminal> open();
  ~Terminal();
  Terminal(Terminal&& other) noexcept;
  Terminal& operator=(Terminal&& other) noexcept;

  /// The line that is typed after `prompt`, without its end. Empty at the end of the input.
  std::string ask(const std::string& prompt);

  /// The same without showing it. A signal that ends or stops the program meanwhile finds the terminal as it was.
  SecretBytes ask_secret(const std::string& prompt);

 private:
  explicit Terminal(int fd) : fd_(fd) {}
  int fd_;
};

}  // namespace plumb
