// Our SFTP server on standard input and output, for clients that start a server themselves: sftp -D "stdio_server
// ARGS".
//
//   stdio_server [--read-only] [--confine FOLDER] [--home FOLDER]
#include <unistd.h>

#include <cstdio>
#include <cstring>

#include "sftp/posix_files.h"
#include "sftp/server.h"

namespace {

using namespace plumb;

bool write_all(Bytes bytes) {
  while (!bytes.empty()) {
    const ssize_t n = write(STDOUT_FILENO, bytes.data(), bytes.size());
    if (n <= 0) return false;
    bytes = bytes.subspan(static_cast<size_t>(n));
  }
  return true;
}

int fault(const Error& error) {
  std::fprintf(stderr, "stdio_server: %s\n", describe(error).c_str());
  return 1;
}

int serve(sftp::Files& files, sftp::ServerOptions options) {
  sftp::Server server(files, options);
  std::vector<uint8_t> in(65536), out(32768);
  while (true) {
    const ssize_t n = read(STDIN_FILENO, in.data(), in.size());
    if (n <= 0) return n == 0 ? 0 : 1;
    Bytes rest = Bytes(in).first(static_cast<size_t>(n));
    while (!rest.empty() || server.wants_output()) {
      const Result<size_t> taken = server.input(rest);
      if (!taken) return fault(taken.error());
      rest = rest.subspan(*taken);
      if (!write_all(Bytes(out).first(server.output(out)))) return 0;
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  sftp::PosixFilesOptions place;
  sftp::ServerOptions options;
  for (int i = 1; i < argc; i++) {
    const bool has_value = i + 1 < argc;
    if (std::strcmp(argv[i], "--read-only") == 0) {
      options.read_only = true;
    } else if (std::strcmp(argv[i], "--confine") == 0 && has_value) {
      place.confine_to = argv[++i];
    } else if (std::strcmp(argv[i], "--home") == 0 && has_value) {
      place.home = argv[++i];
    } else {
      std::fprintf(stderr, "usage: stdio_server [--read-only] [--confine FOLDER] [--home FOLDER]\n");
      return 2;
    }
  }
  auto files = sftp::PosixFiles::open(place);
  if (!files) return fault(files.error());
  return serve(**files, options);
}
