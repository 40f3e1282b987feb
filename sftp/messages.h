// Every message of SFTP version 3 (draft-ietf-secsh-filexfer-02 §3 to §7), its fields listed once. `id` is the number
// that a request chooses and its reply repeats.
//
// WRITE and DATA end in a payload that nobody wants copied. Their description stops behind the payload's length: the
// payload follows on the wire, and goes by packet_splitter.h and out_queue.h.
#pragma once

#include <string_view>
#include <vector>

#include "sftp/attrs.h"
#include "sftp/status.h"
#include "sftp/visitors.h"

namespace plumb::sftp {

/// The one version spoken here; what OpenSSH speaks.
inline constexpr uint32_t kVersion = 3;

/// Longest handle that a server may give (§6.3).
inline constexpr size_t kMaxHandle = 256;

// Bits of OPEN's pflags (§6.3).
inline constexpr uint32_t kOpenRead = 0x01;
inline constexpr uint32_t kOpenWrite = 0x02;
inline constexpr uint32_t kOpenAppend = 0x04;
inline constexpr uint32_t kOpenCreate = 0x08;
inline constexpr uint32_t kOpenTruncate = 0x10;
inline constexpr uint32_t kOpenExclusive = 0x20;

// What several messages have in common.
struct OfPath {
  uint32_t id = 0;
  std::string_view path;
  template <class Self, class Visitor>
  static void fields(Self& m, Visitor& v) {
    v.u32("id", m.id);
    v.text("path", m.path);
  }
};
struct OfHandle {
  uint32_t id = 0;
  Bytes handle;
  template <class Self, class Visitor>
  static void fields(Self& m, Visitor& v) {
    v.u32("id", m.id);
    v.string("handle", m.handle);
  }
};
struct OfPathAndAttrs {
  uint32_t id = 0;
  std::string_view path;
  Attrs attrs{};
  template <class Self, class Visitor>
  static void fields(Self& m, Visitor& v) {
    v.u32("id", m.id);
    v.text("path", m.path);
    Attrs::fields(m.attrs, v);
  }
};

struct Init {
  static constexpr uint8_t kId = 1;
  static constexpr const char* kName = "INIT";
  uint32_t version = kVersion;
  std::vector<NamePair> extensions{};
  template <class Self, class Visitor>
  static void fields(Self& m, Visitor& v) {
    v.u32("version", m.version);
    v.remaining("extensions", m.extensions);
  }
};

struct Version {
  static constexpr uint8_t kId = 2;
  static constexpr const char* kName = "VERSION";
  uint32_t version = kVersion;
  std::vector<NamePair> extensions{};
  template <class Self, class Visitor>
  static void fields(Self& m, Visitor& v) {
    v.u32("version", m.version);
    v.remaining("extensions", m.extensions);
  }
};

struct Open {
  static constexpr uint8_t kId = 3;
  static constexpr const char* kName = "OPEN";
  uint32_t id = 0;
  std::string_view path;
  uint32_t pflags = 0;
  Attrs attrs{};  ///< of a file that it makes
  template <class Self, class Visitor>
  static void fields(Self& m, Visitor& v) {
    v.u32("id", m.id);
    v.text("path", m.path);
    v.u32("pflags", m.pflags);
    Attrs::fields(m.attrs, v);
  }
};

struct Close : OfHandle {
  static constexpr uint8_t kId = 4;
  static constexpr const char* kName = "CLOSE";
};

struct Read {
  static constexpr uint8_t kId = 5;
  static constexpr const char* kName = "READ";
  uint32_t id = 0;
  Bytes handle;
  uint64_t offset = 0;
  uint32_t length = 0;
  template <class Self, class Visitor>
  static void fields(Self& m, Visitor& v) {
    v.u32("id", m.id);
    v.string("handle", m.handle);
    v.u64("offset", m.offset);
    v.u32("length", m.length);
  }
};

/// `length` bytes of payload follow.
struct Write {
  static constexpr uint8_t kId = 6;
  static constexpr const char* kName = "WRITE";
  uint32_t id = 0;
  Bytes handle;
  uint64_t offset = 0;
  uint32_t length = 0;
  template <class Self, class Visitor>
  static void fields(Self& m, Visitor& v) {
    v.u32("id", m.id);
    v.string("handle", m.handle);
    v.u64("offset", m.offset);
    v.u32("length", m.length);
  }
};

struct Lstat : OfPath {
  static constexpr uint8_t kId = 7;
  static constexpr const char* kName = "LSTAT";
};
struct Fstat : OfHandle {
  static constexpr uint8_t kId = 8;
  static constexpr const char* kName = "FSTAT";
};
struct Setstat : OfPathAndAttrs {
  static constexpr uint8_t kId = 9;
  static constexpr const char* kName = "SETSTAT";
};

struct Fsetstat {
  static constexpr uint8_t kId = 10;
  static constexpr const char* kName = "FSETSTAT";
  uint32_t id = 0;
  Bytes handle;
  Attrs attrs{};
  template <class Self, class Visitor>
  static void fields(Self& m, Visitor& v) {
    v.u32("id", m.id);
    v.string("handle", m.handle);
    Attrs::fields(m.attrs, v);
  }
};

struct Opendir : OfPath {
  static constexpr uint8_t kId = 11;
  static constexpr const char* kName = "OPENDIR";
};
struct Readdir : OfHandle {
  static constexpr uint8_t kId = 12;
  static constexpr const char* kName = "READDIR";
};
struct Remove : OfPath {
  static constexpr uint8_t kId = 13;
  static constexpr const char* kName = "REMOVE";
};
struct Mkdir : OfPathAndAttrs {
  static constexpr uint8_t kId = 14;
  static constexpr const char* kName = "MKDIR";
};
struct Rmdir : OfPath {
  static constexpr uint8_t kId = 15;
  static constexpr const char* kName = "RMDIR";
};
struct Realpath : OfPath {
  static constexpr uint8_t kId = 16;
  static constexpr const char* kName = "REALPATH";
};
struct Stat : OfPath {
  static constexpr uint8_t kId = 17;
  static constexpr const char* kName = "STAT";
};

struct Rename {
  static constexpr uint8_t kId = 18;
  static constexpr const char* kName = "RENAME";
  uint32_t id = 0;
  std::string_view from, to;
  template <class Self, class Visitor>
  static void fields(Self& m, Visitor& v) {
    v.u32("id", m.id);
    v.text("from", m.from);
    v.text("to", m.to);
  }
};

struct Readlink : OfPath {
  static constexpr uint8_t kId = 19;
  static constexpr const char* kName = "READLINK";
};

/// In OpenSSH's order, which servers and clients follow; the draft has `link` first (PROTOCOL §4.1).
struct Symlink {
  static constexpr uint8_t kId = 20;
  static constexpr const char* kName = "SYMLINK";
  uint32_t id = 0;
  std::string_view target, link;
  template <class Self, class Visitor>
  static void fields(Self& m, Visitor& v) {
    v.u32("id", m.id);
    v.text("target", m.target);
    v.text("link", m.link);
  }
};

struct Status {
  static constexpr uint8_t kId = 101;
  static constexpr const char* kName = "STATUS";
  uint32_t id = 0;
  uint32_t code = 0;
  std::string_view message, language;
  template <class Self, class Visitor>
  static void fields(Self& m, Visitor& v) {
    v.u32("id", m.id);
    v.u32("code", m.code);
    v.text("message", m.message);
    v.text("language", m.language);
  }
};

struct HandleReply : OfHandle {
  static constexpr uint8_t kId = 102;
  static constexpr const char* kName = "HANDLE";
};

/// `length` bytes of payload follow.
struct Data {
  static constexpr uint8_t kId = 103;
  static constexpr const char* kName = "DATA";
  uint32_t id = 0;
  uint32_t length = 0;
  template <class Self, class Visitor>
  static void fields(Self& m, Visitor& v) {
    v.u32("id", m.id);
    v.u32("length", m.length);
  }
};

struct NameEntry {
  std::string_view name;
  std::string_view long_name;  ///< as `ls -l` shows it; for people
  Attrs attrs{};
  template <class Self, class Visitor>
  static void fields(Self& e, Visitor& v) {
    v.text("name", e.name);
    v.text("long_name", e.long_name);
    Attrs::fields(e.attrs, v);
  }
};

struct NameReply {
  static constexpr uint8_t kId = 104;
  static constexpr const char* kName = "NAME";
  uint32_t id = 0;
  std::vector<NameEntry> entries{};
  template <class Self, class Visitor>
  static void fields(Self& m, Visitor& v) {
    v.u32("id", m.id);
    v.counted("entries", m.entries);
  }
};

struct AttrsReply {
  static constexpr uint8_t kId = 105;
  static constexpr const char* kName = "ATTRS";
  uint32_t id = 0;
  Attrs attrs{};
  template <class Self, class Visitor>
  static void fields(Self& m, Visitor& v) {
    v.u32("id", m.id);
    Attrs::fields(m.attrs, v);
  }
};

/// `rest` depends on the name (extensions.h).
struct Extended {
  static constexpr uint8_t kId = 200;
  static constexpr const char* kName = "EXTENDED";
  uint32_t id = 0;
  std::string_view name;
  Bytes rest;
  template <class Self, class Visitor>
  static void fields(Self& m, Visitor& v) {
    v.u32("id", m.id);
    v.text("name", m.name);
    v.rest("rest", m.rest);
  }
};

struct ExtendedReply {
  static constexpr uint8_t kId = 201;
  static constexpr const char* kName = "EXTENDED_REPLY";
  uint32_t id = 0;
  Bytes rest;
  template <class Self, class Visitor>
  static void fields(Self& m, Visitor& v) {
    v.u32("id", m.id);
    v.rest("rest", m.rest);
  }
};

}  // namespace plumb::sftp
