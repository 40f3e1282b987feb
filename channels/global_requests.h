// Requests to the other side as a whole (RFC 4254 §4, §7.1; OpenSSH PROTOCOL §2.2, §2.4, §2.5).
#pragma once

#include "channels/named_body.h"

namespace plumb {

namespace global {

/// RFC 4254 §7.1: listen. Port 0: any, which the reply names.
struct TcpipForward {
  static constexpr const char* kName = "tcpip-forward";
  std::string_view address;
  uint32_t port = 0;
  template <class Self, class Visitor>
  static void fields(Self& m, Visitor& v) {
    v.text("address", m.address);
    v.u32("port", m.port);
  }
};

struct CancelTcpipForward {
  static constexpr const char* kName = "cancel-tcpip-forward";
  std::string_view address;
  uint32_t port = 0;
  template <class Self, class Visitor>
  static void fields(Self& m, Visitor& v) {
    v.text("address", m.address);
    v.u32("port", m.port);
  }
};

struct StreamlocalForward {
  static constexpr const char* kName = "streamlocal-forward@openssh.com";
  std::string_view path;
  template <class Self, class Visitor>
  static void fields(Self& m, Visitor& v) {
    v.text("path", m.path);
  }
};

struct CancelStreamlocalForward {
  static constexpr const char* kName = "cancel-streamlocal-forward@openssh.com";
  std::string_view path;
  template <class Self, class Visitor>
  static void fields(Self& m, Visitor& v) {
    v.text("path", m.path);
  }
};

/// All host keys of the server, each a string.
struct HostKeys {
  static constexpr const char* kName = "hostkeys-00@openssh.com";
  Bytes blobs;
  template <class Self, class Visitor>
  static void fields(Self& m, Visitor& v) {
    v.rest("blobs", m.blobs);
  }
};

/// The client wants a signature by each of these keys.
struct ProveHostKeys {
  static constexpr const char* kName = "hostkeys-prove-00@openssh.com";
  Bytes blobs;
  template <class Self, class Visitor>
  static void fields(Self& m, Visitor& v) {
    v.rest("blobs", m.blobs);
  }
};

/// Those that have a body to be looked into.
using Any = std::variant<TcpipForward, CancelTcpipForward, StreamlocalForward, CancelStreamlocalForward, HostKeys,
                         ProveHostKeys>;

}  // namespace global

inline constexpr std::string_view kKeepalive = "keepalive@openssh.com";
inline constexpr std::string_view kNoMoreSessions = "no-more-sessions@openssh.com";

}  // namespace plumb
