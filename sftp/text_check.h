// A visitor that looks for NUL bytes in texts: a path with one means something else to the system than to whoever
// checked it.
#pragma once

#include <string_view>
#include <vector>

#include "core/bytes.h"

namespace plumb::sftp {

class TextCheck {
 public:
  void u32(const char*, uint32_t) {}
  void u64(const char*, uint64_t) {}
  void string(const char*, Bytes) {}
  void rest(const char*, Bytes) {}
  void text(const char*, std::string_view v) { clean_ = clean_ && v.find('\0') == std::string_view::npos; }
  template <class T>
  void counted(const char*, const std::vector<T>&) {}
  template <class T>
  void remaining(const char*, const std::vector<T>&) {}
  bool clean() const { return clean_; }

 private:
  bool clean_ = true;
};

template <class M>
bool texts_are_clean(const M& message) {
  TextCheck visitor;
  M::fields(message, visitor);
  return visitor.clean();
}

}  // namespace plumb::sftp
