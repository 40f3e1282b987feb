// The four visitors of core/message.h, which can walk lists too: SFTP's replies hold lists of records that list their
// fields as messages do. And the two verbs that every other file here uses: parse and append.
#pragma once

#include <string>
#include <vector>

#include "core/endian.h"
#include "core/message.h"

namespace plumb::sftp {

class ListWriter : public MessageWriter {
 public:
  using MessageWriter::MessageWriter;

  /// A uint32 that counts the records, and the records.
  template <class T>
  void counted(const char* name, const std::vector<T>& items) {
    u32(name, static_cast<uint32_t>(items.size()));
    remaining(name, items);
  }

  /// Records to the end of the message; last field only.
  template <class T>
  void remaining(const char*, const std::vector<T>& items) {
    for (const T& item : items) T::fields(item, *this);
  }
};

/// A record takes at least one byte or the reader fails, so a hostile count ends with the message.
class ListReader : public MessageReader {
 public:
  explicit ListReader(Reader& reader) : MessageReader(reader), source_(reader) {}

  template <class T>
  void counted(const char*, std::vector<T>& items) {
    for (uint32_t count = source_.u32(); count > 0 && source_.ok(); count--) read(items);
  }

  template <class T>
  void remaining(const char*, std::vector<T>& items) {
    while (source_.ok() && source_.remaining() > 0) read(items);
  }

 private:
  template <class T>
  void read(std::vector<T>& items) {
    T item;
    T::fields(item, *this);
    if (source_.ok()) items.push_back(std::move(item));
  }

  Reader& source_;
};

class ListPrinter : public MessagePrinter {
 public:
  template <class T>
  void counted(const char* name, const std::vector<T>& items) {
    u32(name, static_cast<uint32_t>(items.size()));
    remaining(name, items);
  }
  template <class T>
  void remaining(const char*, const std::vector<T>& items) {
    for (const T& item : items) T::fields(item, *this);
  }
};

class ListGenerator : public MessageGenerator {
 public:
  using MessageGenerator::MessageGenerator;
  template <class T>
  void counted(const char* name, std::vector<T>& items) {
    uint8_t count = 0;
    u8(name, count);
    for (count %= 4; count > 0; count--) {
      T item;
      T::fields(item, *this);
      items.push_back(std::move(item));
    }
  }
  template <class T>
  void remaining(const char* name, std::vector<T>& items) {
    counted(name, items);
  }
};

/// Fields without a number before them. kProtocol if one does not fit or bytes are left over. Views live as long as
/// `bytes`.
template <class M>
Result<M> parse_fields(Bytes bytes) {
  Reader reader(bytes);
  M message;
  ListReader visitor(reader);
  M::fields(message, visitor);
  if (!reader.done()) return fail(ErrorCode::kProtocol, "the fields of an SFTP message do not fit its length");
  return message;
}

/// As `parse_fields`, of a packet without its length field.
template <class M>
Result<M> parse(Bytes packet) {
  if (packet.empty() || packet[0] != M::kId)
    return fail(ErrorCode::kProtocol, "an SFTP message of another type stood where one was due");
  return parse_fields<M>(packet.subspan(1));
}

template <class M>
void append_fields(const M& message, std::vector<uint8_t>& out) {
  ListWriter visitor(out);
  M::fields(message, visitor);
}

/// Appends the whole packet: length, number, fields.
template <class M>
void append_packet(const M& message, std::vector<uint8_t>& out) {
  const size_t start = out.size();
  out.insert(out.end(), {0, 0, 0, 0, M::kId});
  append_fields(message, out);
  store_be32(out.data() + start, static_cast<uint32_t>(out.size() - start - 4));
}

/// "OPEN id=1 path=/etc/motd pflags=1 flags=0"
template <class M>
std::string print(const M& message) {
  ListPrinter visitor;
  M::fields(message, visitor);
  return std::string(M::kName) + visitor.take();
}

template <class M>
M generate(Bytes source) {
  M message;
  ListGenerator visitor(source);
  M::fields(message, visitor);
  return message;
}

}  // namespace plumb::sftp
