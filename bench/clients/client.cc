#include "bench/clients/client.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

namespace plumb {

void mark(const ClientJob& job, std::string_view reached) {
  if (job.marks) fmt::print(stderr, "bench: {}\n", reached);
}

ClientVerdict write_all(int fd, const void* data, size_t size) {
  const char* next = static_cast<const char*>(data);
  while (size > 0) {
    const ssize_t n = write(fd, next, size);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return client_error(fmt::format("the output: {}", std::strerror(errno)));
    next += n;
    size -= static_cast<size_t>(n);
  }
  return {};
}

tl::expected<size_t, std::string> read_some(int fd, void* space, size_t size) {
  ssize_t n = 0;
  do {
    n = read(fd, space, size);
  } while (n < 0 && errno == EINTR);
  if (n < 0) return client_error(fmt::format("the input: {}", std::strerror(errno)));
  return static_cast<size_t>(n);
}

}  // namespace plumb
