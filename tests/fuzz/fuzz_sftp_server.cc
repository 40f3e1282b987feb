// An SFTP server with files in memory, fed by a client that may say anything.
//
//   byte 0    top bit: read only; bit 6: without an INIT before the rest; bits 0-5: size of the pieces in which it is
//   fed
//             and drained, in steps of 16
//   rest      the bytes of the stream
//
// Whatever comes, the server does not crash, answers what it takes, and holds no more than its bound.
#include <vector>

#include "sftp/memory_files.h"
#include "sftp/messages.h"
#include "sftp/server.h"
#include "tests/fuzz/fuzz_input.h"

namespace plumb::testing {
namespace {

void fill(sftp::MemoryFiles& files) {
  const auto file = files.open("/file", sftp::kOpenWrite | sftp::kOpenCreate, {});
  require(file.has_value() && (*file)->write_at(0, as_bytes("some content of a file")).has_value());
  require(files.make_directory("/dir", 0755).has_value());
  require(files.make_link("../file", "/dir/link").has_value());
}

/// What the server answers is well formed and fits into packets.
void check_answers(Bytes answers) {
  sftp::PacketSplitter splitter(sftp::PacketSplitter::Payload::kOfData);
  while (!answers.empty()) {
    const auto piece = splitter.next(answers);
    require(piece.has_value());
    if (!*piece) return;
  }
}

void fuzz(Bytes bytes) {
  FuzzInput input(bytes);
  const uint8_t choice = input.u8();
  const size_t step = size_t{1} + (choice & 0x3f) * 16;
  sftp::MemoryFiles files(1 << 20);
  fill(files);
  sftp::Server server(files, {.read_only = (choice & 0x80) != 0, .max_handles = 8});
  std::vector<uint8_t> stream;
  if ((choice & 0x40) == 0) append_packet(sftp::Init{}, stream);
  const Bytes rest = input.rest();
  stream.insert(stream.end(), rest.begin(), rest.end());
  std::vector<uint8_t> space(step), answers;
  for (Bytes in(stream);;) {
    const Result<size_t> taken = server.input(in.first(std::min(step, in.size())));
    if (!taken) break;
    in = in.subspan(*taken);
    const bool wanted = server.wants_output();
    const size_t n = server.output(space);
    if (answers.size() < (1 << 20))
      answers.insert(answers.end(), space.begin(), space.begin() + static_cast<std::ptrdiff_t>(n));
    if (server.failure() || (in.empty() && !server.wants_output())) break;
    // Output may come to a WRITE that was held behind a READ: nothing is sent, but now its payload is taken.
    require(*taken != 0 || n != 0 || wanted || server.wants_output());
  }
  check_answers(answers);
}

}  // namespace
}  // namespace plumb::testing

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  plumb::testing::fuzz({data, size});
  return 0;
}
