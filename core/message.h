// Messages that list their fields once.
//
//   struct ServiceRequest {
//     static constexpr uint8_t kId = msg::kServiceRequest;
//     static constexpr const char* kName = "SERVICE_REQUEST";
//     std::string_view service;
//     template <class Self, class Visitor>
//     static void fields(Self& m, Visitor& v) { v.text("service", m.service); }
//   };
//
// Four visitors walk that list: a writer, a reader, a printer (transcripts) and a generator (structured fuzzing), so
// that no two of them can disagree. Field types: uint8_t, bool, uint32_t, uint64_t, Bytes, std::string_view, NameList.
// Parsed views live as long as the payload.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/bytes.h"
#include "core/result.h"
#include "core/wire.h"

namespace plumb {

class MessageWriter {
 public:
  explicit MessageWriter(std::vector<uint8_t>& out) : writer_(out) {}
  void u8(const char*, uint8_t v) { writer_.u8(v); }
  void boolean(const char*, bool v) { writer_.boolean(v); }
  void u32(const char*, uint32_t v) { writer_.u32(v); }
  void u64(const char*, uint64_t v) { writer_.u64(v); }
  void string(const char*, Bytes v) { writer_.string(v); }
  void text(const char*, std::string_view v) { writer_.text(v); }
  void mpint(const char*, Bytes v) { writer_.mpint(v); }
  void names(const char*, const NameList& v) { writer_.name_list(v); }
  void raw(const char*, Bytes v, size_t) { writer_.raw(v); }  ///< fixed size, no length field
  void rest(const char*, Bytes v) { writer_.raw(v); }         ///< whatever is left; last field only

 private:
  Writer writer_;
};

class MessageReader {
 public:
  explicit MessageReader(Reader& reader) : reader_(reader) {}
  void u8(const char*, uint8_t& v) { v = reader_.u8(); }
  void boolean(const char*, bool& v) { v = reader_.boolean(); }
  void u32(const char*, uint32_t& v) { v = reader_.u32(); }
  void u64(const char*, uint64_t& v) { v = reader_.u64(); }
  void string(const char*, Bytes& v) { v = reader_.string(); }
  void text(const char*, std::string_view& v) { v = reader_.text(); }
  void mpint(const char*, Bytes& v) { v = reader_.mpint(); }
  void names(const char*, NameList& v) { v = reader_.name_list(); }
  void raw(const char*, Bytes& v, size_t size) { v = reader_.raw(size); }
  void rest(const char*, Bytes& v) { v = reader_.rest(); }

 private:
  Reader& reader_;
};

/// Renders `name=value` pairs; binary strings as hex, cut after 32 bytes.
class MessagePrinter {
 public:
  void u8(const char* name, uint8_t v) { number(name, v); }
  void boolean(const char* name, bool v) { put(name, v ? "true" : "false"); }
  void u32(const char* name, uint32_t v) { number(name, v); }
  void u64(const char* name, uint64_t v) { number(name, v); }
  void string(const char* name, Bytes v) { binary(name, v); }
  void text(const char* name, std::string_view v);
  void mpint(const char* name, Bytes v) { binary(name, v); }
  void names(const char* name, const NameList& v) { put(name, join_name_list(v)); }
  void raw(const char* name, Bytes v, size_t) { binary(name, v); }
  void rest(const char* name, Bytes v) { binary(name, v); }

  std::string take() { return std::move(text_); }

 private:
  void number(const char* name, uint64_t v) { put(name, std::to_string(v)); }
  void binary(const char* name, Bytes v);
  void put(const char* name, std::string_view value);
  std::string text_;
};

/// Makes well-formed messages out of arbitrary bytes, for fuzzing: each field takes what it needs from the source and
/// zeros once that is used up. Views live as long as the source.
class MessageGenerator {
 public:
  explicit MessageGenerator(Bytes source) : source_(source) {}
  void u8(const char*, uint8_t& v) { v = take_byte(); }
  void boolean(const char*, bool& v) { v = (take_byte() & 1) != 0; }
  void u32(const char*, uint32_t& v) { v = static_cast<uint32_t>(take_number()); }
  void u64(const char*, uint64_t& v) { v = take_number(); }
  void string(const char*, Bytes& v) { v = take_string(); }
  void text(const char*, std::string_view& v) { v = as_text(take_string()); }
  void mpint(const char*, Bytes& v);
  void names(const char*, NameList& v);
  void raw(const char*, Bytes& v, size_t size);
  void rest(const char*, Bytes& v) { v = take_string(); }

 private:
  uint8_t take_byte();
  uint64_t take_number();
  Bytes take_string();
  Bytes source_;
};

/// Appends the message, its number first, to `out`.
template <class M>
void write_message(const M& message, std::vector<uint8_t>& out) {
  out.push_back(M::kId);
  MessageWriter visitor(out);
  M::fields(message, visitor);
}

/// The fields of a body that has no number of its own: what follows the name in a request.
template <class B>
std::vector<uint8_t> to_body(const B& body) {
  std::vector<uint8_t> out;
  MessageWriter visitor(out);
  B::fields(body, visitor);
  return out;
}

template <class M>
std::vector<uint8_t> to_payload(const M& message) {
  std::vector<uint8_t> out;
  write_message(message, out);
  return out;
}

/// Fails with kProtocol if the number is another message's, a field does not fit, or bytes are left over.
template <class M>
Result<M> parse_message(Bytes payload) {
  Reader reader(payload);
  if (reader.u8() != M::kId) return fail(ErrorCode::kProtocol, "a message of another type stood where one was due");
  M message;
  MessageReader visitor(reader);
  M::fields(message, visitor);
  if (!reader.done()) return fail(ErrorCode::kProtocol, "the fields of a message do not fit its length");
  return message;
}

/// As `parse_message`, of a body that has no number of its own.
template <class B>
Result<B> parse_body(Bytes bytes) {
  Reader reader(bytes);
  B body;
  MessageReader visitor(reader);
  B::fields(body, visitor);
  if (!reader.done()) return fail(ErrorCode::kProtocol, "the fields of a request do not fit its length");
  return body;
}

/// "SERVICE_REQUEST service=ssh-userauth"
template <class M>
std::string print_message(const M& message) {
  MessagePrinter visitor;
  M::fields(message, visitor);
  return std::string(M::kName) + visitor.take();
}

template <class M>
M generate_message(Bytes source) {
  M message;
  MessageGenerator visitor(source);
  M::fields(message, visitor);
  return message;
}

}  // namespace plumb
