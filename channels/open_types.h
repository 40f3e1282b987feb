// What a channel is opened for: the types of CHANNEL_OPEN and their fields.
#pragma once

#include "channels/named_body.h"

namespace plumb::open {

/// RFC 4254 §6.1.
struct Session {
  static constexpr const char* kName = "session";
  template <class Self, class Visitor>
  static void fields(Self&, Visitor&) {}
};

/// RFC 4254 §7.2: connect to `host` and `port` for somebody who came from `originator`.
struct DirectTcpip {
  static constexpr const char* kName = "direct-tcpip";
  std::string_view host;
  uint32_t port = 0;
  std::string_view originator;
  uint32_t originator_port = 0;
  template <class Self, class Visitor>
  static void fields(Self& m, Visitor& v) {
    v.text("host", m.host);
    v.u32("port", m.port);
    v.text("originator", m.originator);
    v.u32("originator_port", m.originator_port);
  }
};

/// RFC 4254 §7.2: somebody connected to `host` and `port`, where a tcpip-forward request listens.
struct ForwardedTcpip {
  static constexpr const char* kName = "forwarded-tcpip";
  std::string_view host;
  uint32_t port = 0;
  std::string_view originator;
  uint32_t originator_port = 0;
  template <class Self, class Visitor>
  static void fields(Self& m, Visitor& v) {
    v.text("host", m.host);
    v.u32("port", m.port);
    v.text("originator", m.originator);
    v.u32("originator_port", m.originator_port);
  }
};

/// OpenSSH PROTOCOL §2.4: connect to the socket at `path`.
struct DirectStreamlocal {
  static constexpr const char* kName = "direct-streamlocal@openssh.com";
  std::string_view path;
  std::string_view reserved;
  uint32_t reserved_number = 0;
  template <class Self, class Visitor>
  static void fields(Self& m, Visitor& v) {
    v.text("path", m.path);
    v.text("reserved", m.reserved);
    v.u32("reserved_number", m.reserved_number);
  }
};

/// OpenSSH PROTOCOL §2.4: somebody connected to the socket at `path`, where a streamlocal-forward request listens.
struct ForwardedStreamlocal {
  static constexpr const char* kName = "forwarded-streamlocal@openssh.com";
  std::string_view path;
  std::string_view reserved;
  template <class Self, class Visitor>
  static void fields(Self& m, Visitor& v) {
    v.text("path", m.path);
    v.text("reserved", m.reserved);
  }
};

using Target = std::variant<Session, DirectTcpip, ForwardedTcpip, DirectStreamlocal, ForwardedStreamlocal>;

}  // namespace plumb::open
