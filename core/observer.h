// How the silent rooms let others watch: every method does nothing unless overridden, and is called on the thread that
// drives the connection. Secrets are never passed here.
#pragma once

#include <cstdint>
#include <string_view>

#include "core/bytes.h"

namespace plumb {

class Observer {
 public:
  virtual ~Observer() = default;

  /// A packet's payload, in the clear, before it is sealed or after it was opened. `sequence` is its sequence number.
  virtual void packet_sent(uint32_t /*sequence*/, Bytes /*payload*/) {}
  virtual void packet_received(uint32_t /*sequence*/, Bytes /*payload*/) {}

  /// New keys are in use in one direction (RFC 4253 §7.3).
  virtual void keys_changed(bool /*sending*/, std::string_view /*cipher*/, std::string_view /*mac*/) {}

  /// Something worth a debug line; one lower-case sentence fragment.
  virtual void note(std::string_view /*text*/) {}
};

/// The observer that watches nothing. Lives for ever.
Observer& null_observer();

}  // namespace plumb
