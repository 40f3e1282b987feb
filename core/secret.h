// Memory for keys: wiped when it is given up, never copied by accident.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/bytes.h"

namespace plumb {

/// Overwrites `bytes` with zeros in a way that the compiler may not remove.
void wipe(MutBytes bytes) noexcept;

/// Wipes an object that holds secrets and no pointers (key schedules, hash states).
template <class T>
void wipe_object(T& object) noexcept {
  wipe({reinterpret_cast<uint8_t*>(&object), sizeof object});
}

/// A secret of fixed size. Zero at first, wiped at the end. Copies must be asked for with `clone`.
template <size_t N>
class SecretArray {
 public:
  SecretArray() = default;
  SecretArray(SecretArray&& other) noexcept : bytes_(other.bytes_) { wipe(other.bytes_); }
  SecretArray& operator=(SecretArray&& other) noexcept {
    if (this == &other) return *this;
    bytes_ = other.bytes_;
    wipe(other.bytes_);
    return *this;
  }
  SecretArray(const SecretArray&) = delete;
  SecretArray& operator=(const SecretArray&) = delete;
  ~SecretArray() { wipe(bytes_); }

  SecretArray clone() const {
    SecretArray copy;
    copy.bytes_ = bytes_;
    return copy;
  }

  static constexpr size_t size() { return N; }
  uint8_t* data() { return bytes_.data(); }
  const uint8_t* data() const { return bytes_.data(); }
  MutBytes bytes() { return bytes_; }
  Bytes bytes() const { return bytes_; }

 private:
  std::array<uint8_t, N> bytes_{};
};

/// A secret whose size is known at run time. Wiped at the end; the size never grows, so no old copy is left behind.
class SecretBytes {
 public:
  SecretBytes() = default;
  explicit SecretBytes(size_t size) : bytes_(size) {}
  explicit SecretBytes(Bytes source) : bytes_(source.begin(), source.end()) {}
  SecretBytes(SecretBytes&& other) noexcept = default;
  SecretBytes& operator=(SecretBytes&& other) noexcept {
    if (this == &other) return *this;
    wipe(bytes_);
    bytes_ = std::move(other.bytes_);
    return *this;
  }
  SecretBytes(const SecretBytes&) = delete;
  SecretBytes& operator=(const SecretBytes&) = delete;
  ~SecretBytes() { wipe(bytes_); }

  SecretBytes clone() const { return SecretBytes(bytes()); }

  size_t size() const { return bytes_.size(); }
  bool empty() const { return bytes_.empty(); }
  MutBytes bytes() { return bytes_; }
  Bytes bytes() const { return bytes_; }

 private:
  std::vector<uint8_t> bytes_;
};

}  // namespace plumb
