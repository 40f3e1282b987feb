// An SFTP client with a download under way and a request of every kind, answered by a server that may say anything.
//
//   byte 0    size of the pieces in which it is fed, less one
//   byte 1    top bit: raw mode
//   rest      raw mode: the bytes of the stream
//             else: VERSION with all extensions, then replies: a type, a request number, a length (16 bits) and its
//             bytes
//
// Whatever comes, the client does not crash, tells each request at most once done, and writes nothing that was not
// asked for.
#include <vector>

#include "sftp/download.h"
#include "sftp/memory_files.h"
#include "tests/fuzz/fuzz_input.h"

namespace plumb::testing {
namespace {

using namespace sftp;

std::vector<uint8_t> scripted(FuzzInput& input) {
  std::vector<uint8_t> stream;
  Version version;
  for (const ExtensionSpec& spec : extensions()) version.extensions.push_back({spec.name, spec.version});
  append_packet(version, stream);
  while (!input.empty()) {
    const uint8_t type = input.u8();
    const uint8_t id = input.u8();
    const Bytes body = input.take(input.u16());
    Writer writer(stream);
    writer.u32(static_cast<uint32_t>(body.size() + 5));
    writer.u8(type);
    writer.u32(id);
    writer.raw(body);
  }
  return stream;
}

void ask_everything(Client& client) {
  const uint32_t ids[] = {0, 1};
  const FileHandle file{"f"};
  const uint32_t length = std::min(100u, client.limits().max_read);
  const bool asked = client.open("a", kOpenRead) && client.read(file, 7, length) && client.stat("a") &&
                     client.open_directory("d") && client.read_directory({"d"}) && client.real_path("p");
  require(asked);
  require(client.statvfs("p").has_value() == client.supports(Extension::kStatvfs));
  require(client.account_names(ids, ids).has_value() == client.supports(Extension::kUsersGroupsById));
  require(client.expand_path("~").has_value() == client.supports(Extension::kExpandPath));
}

void fuzz(Bytes bytes) {
  FuzzInput input(bytes);
  const size_t step = size_t{1} + input.u8();
  const bool raw = (input.u8() & 0x80) != 0;
  const Bytes rest = input.rest();
  const std::vector<uint8_t> stream = raw ? std::vector<uint8_t>(rest.begin(), rest.end()) : scripted(input);
  Client client;
  MemoryFiles files(1 << 20);
  const auto local = files.open("l", kOpenWrite | kOpenCreate, {});
  Download download(client, "r", **local, {});
  std::vector<uint8_t> out(4096);
  bool asked = false;
  for (Bytes left(stream); !left.empty();) {
    Bytes in = left.first(std::min(step, left.size()));
    left = left.subspan(in.size());
    while (true) {
      const Result<std::optional<Reply>> reply = client.next(in);
      if (!reply) return;
      if (client.ready() && !asked) {
        asked = true;
        ask_everything(client);
        download.run({});
      }
      if (!*reply) break;
      if (const auto* data = std::get_if<reply::Data>(&(*reply)->what)) require(!data->bytes.empty());
      download.on_reply(**reply, {});
      while (client.output(out) != 0) {
      }
    }
  }
  require(client.in_flight() <= ClientOptions{}.max_in_flight);
}

}  // namespace
}  // namespace plumb::testing

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  plumb::testing::fuzz({data, size});
  return 0;
}
