// libssh2 through its own API. It sends and reads without blocking and waits by poll, which its documentation advises;
// SFTP pipelines by itself what is asked for in large pieces.
#include <fcntl.h>
#include <fmt/format.h>
#include <libssh2.h>
#include <libssh2_sftp.h>
#include <netdb.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <memory>
#include <vector>

#include "bench/clients/client_main.h"
#include "core/freer.h"

namespace plumb {
namespace {

using Session = std::unique_ptr<LIBSSH2_SESSION, Freer<&libssh2_session_free>>;
using KnownHosts = std::unique_ptr<LIBSSH2_KNOWNHOSTS, Freer<&libssh2_knownhost_free>>;
using Channel = std::unique_ptr<LIBSSH2_CHANNEL, Freer<&libssh2_channel_free>>;
using Sftp = std::unique_ptr<LIBSSH2_SFTP, Freer<&libssh2_sftp_shutdown>>;
using SftpFile = std::unique_ptr<LIBSSH2_SFTP_HANDLE, Freer<&libssh2_sftp_close_handle>>;
using Addresses = std::unique_ptr<addrinfo, Freer<&freeaddrinfo>>;

constexpr size_t kChunk = 128 * 1024;
constexpr size_t kSftpChunk = 1024 * 1024;

tl::expected<int, std::string> connect_to(const std::string& host, uint16_t port) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* raw = nullptr;
  if (const int why = getaddrinfo(host.c_str(), std::to_string(port).c_str(), &hints, &raw); why != 0)
    return client_error(fmt::format("{}: {}", host, gai_strerror(why)));
  const Addresses addresses(raw);
  for (const addrinfo* at = raw; at != nullptr; at = at->ai_next) {
    const int fd = socket(at->ai_family, at->ai_socktype | SOCK_CLOEXEC, at->ai_protocol);
    if (fd < 0) continue;
    if (connect(fd, at->ai_addr, at->ai_addrlen) == 0) {
      const int yes = 1;
      setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof(yes));
      return fd;
    }
    close(fd);
  }
  return client_error(fmt::format("{} port {} cannot be reached", host, port));
}

class Client {
 public:
  explicit Client(const ClientJob& job) : job_(job), session_(libssh2_session_init()) {}
  ~Client() {
    session_.reset();
    if (socket_ >= 0) close(socket_);
  }
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  ClientVerdict run() {
    return log_in().and_then([this] {
      switch (job_.task) {
        case ClientJob::Task::kExec: return exec();
        case ClientJob::Task::kGet: return get();
        case ClientJob::Task::kPut: return put();
      }
      return ClientVerdict();
    });
  }

 private:
  tl::unexpected<std::string> failed() const {
    char* text = nullptr;
    libssh2_session_last_error(session_.get(), &text, nullptr, 0);
    return client_error(text == nullptr || *text == '\0' ? "libssh2 failed and does not say why" : text);
  }

  ClientVerdict log_in() {
    for (const int way : {LIBSSH2_METHOD_CRYPT_CS, LIBSSH2_METHOD_CRYPT_SC}) {
      if (job_.cipher.empty()) break;
      if (libssh2_session_method_pref(session_.get(), way, job_.cipher.c_str()) != 0)
        return client_error(fmt::format("libssh2 {} has no {}", LIBSSH2_VERSION, job_.cipher));
    }
    const auto fd = connect_to(job_.host, job_.port);
    if (!fd) return client_error(fd.error());
    socket_ = *fd;
    mark(job_, "connected");
    if (libssh2_session_handshake(session_.get(), socket_) != 0) return failed();
    mark(job_, "keys agreed");
    if (!host_is_known()) return client_error("the host key is not known; connect once with ssh");
    if (!authenticate()) return client_error(fmt::format("{} refused the login of {}", job_.host, job_.user));
    mark(job_, "logged in");
    return {};
  }

  bool host_is_known() {
    const KnownHosts known(libssh2_knownhost_init(session_.get()));
    const char* home = getenv("HOME");
    const std::string file =
        !job_.known_hosts.empty() ? job_.known_hosts : std::string(home != nullptr ? home : "") + "/.ssh/known_hosts";
    if (libssh2_knownhost_readfile(known.get(), file.c_str(), LIBSSH2_KNOWNHOST_FILE_OPENSSH) < 0) return false;
    size_t size = 0;
    int type = 0;
    const char* key = libssh2_session_hostkey(session_.get(), &size, &type);
    const int verdict = libssh2_knownhost_checkp(known.get(), job_.host.c_str(), job_.port, key, size,
                                                 LIBSSH2_KNOWNHOST_TYPE_PLAIN | LIBSSH2_KNOWNHOST_KEYENC_RAW, nullptr);
    return verdict == LIBSSH2_KNOWNHOST_CHECK_MATCH;
  }

  bool authenticate() {
    const auto size = static_cast<unsigned>(job_.user.size());
    if (job_.password) {
      return libssh2_userauth_password_ex(session_.get(), job_.user.c_str(), size, job_.password->c_str(),
                                          static_cast<unsigned>(job_.password->size()), nullptr) == 0;
    }
    return libssh2_userauth_publickey_fromfile_ex(session_.get(), job_.user.c_str(), size, nullptr, job_.key.c_str(),
                                                  nullptr) == 0;
  }

  /// Until the socket is ready for what libssh2 wants of it.
  void wait() const {
    const int wants = libssh2_session_block_directions(session_.get());
    pollfd ready{socket_, 0, 0};
    if ((wants & LIBSSH2_SESSION_BLOCK_INBOUND) != 0 || wants == 0) ready.events |= POLLIN;
    if ((wants & LIBSSH2_SESSION_BLOCK_OUTBOUND) != 0) ready.events |= POLLOUT;
    poll(&ready, 1, -1);
  }

  ClientVerdict exec() {
    const Channel channel(libssh2_channel_open_session(session_.get()));
    if (channel == nullptr) return failed();
    if (libssh2_channel_exec(channel.get(), job_.from.c_str()) != 0) return failed();
    libssh2_session_set_blocking(session_.get(), 0);
    const ClientVerdict carried = carry(channel.get());
    libssh2_session_set_blocking(session_.get(), 1);
    if (!carried) return carried;
    libssh2_channel_close(channel.get());
    libssh2_channel_wait_closed(channel.get());
    if (const int status = libssh2_channel_get_exit_status(channel.get()); status != 0)
      return client_error(fmt::format("the command ended with status {}", status));
    return {};
  }

  ClientVerdict carry(LIBSSH2_CHANNEL* channel) {
    std::vector<char> in(kChunk), out(kChunk);
    size_t first = 0, last = 0;  // of what waits in `in`
    bool input_over = false, eof_sent = false;
    while (libssh2_channel_eof(channel) == 0) {
      bool moved = false;
      if (first == last && !input_over) {
        const auto n = read_some(STDIN_FILENO, in.data(), in.size());
        if (!n) return client_error(n.error());
        first = 0;
        last = *n;
        input_over = last == 0;
      }
      if (first < last) {
        const ssize_t n = libssh2_channel_write(channel, in.data() + first, last - first);
        if (n < 0 && n != LIBSSH2_ERROR_EAGAIN) return failed();
        if (n > 0) first += static_cast<size_t>(n);
        moved = n > 0;
      } else if (!eof_sent) {
        const int sent = libssh2_channel_send_eof(channel);
        if (sent < 0 && sent != LIBSSH2_ERROR_EAGAIN) return failed();
        eof_sent = moved = sent == 0;
      }
      const ssize_t n = libssh2_channel_read(channel, out.data(), out.size());
      if (n < 0 && n != LIBSSH2_ERROR_EAGAIN) return failed();
      if (n > 0) {
        if (const ClientVerdict written = write_all(STDOUT_FILENO, out.data(), static_cast<size_t>(n)); !written)
          return written;
        moved = true;
      }
      if (!moved && libssh2_channel_eof(channel) == 0) wait();
    }
    return {};
  }

  tl::expected<Sftp, std::string> start_sftp() {
    Sftp sftp(libssh2_sftp_init(session_.get()));
    if (sftp == nullptr) return failed();
    return sftp;
  }

  SftpFile open_remote(const Sftp& sftp, const std::string& path, unsigned long flags) {
    return SftpFile(libssh2_sftp_open_ex(sftp.get(), path.c_str(), static_cast<unsigned>(path.size()), flags, 0600,
                                         LIBSSH2_SFTP_OPENFILE));
  }

  ClientVerdict get() {
    const auto sftp = start_sftp();
    if (!sftp) return client_error(sftp.error());
    const SftpFile file = open_remote(*sftp, job_.from, LIBSSH2_FXF_READ);
    if (file == nullptr) return failed();
    const int local = open(job_.to.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    if (local < 0) return client_error(job_.to + " cannot be written");
    std::vector<char> data(kSftpChunk);
    while (true) {
      const ssize_t n = libssh2_sftp_read(file.get(), data.data(), data.size());
      if (n < 0) return failed();
      if (n == 0) break;
      if (const ClientVerdict written = write_all(local, data.data(), static_cast<size_t>(n)); !written) return written;
    }
    close(local);
    return {};
  }

  ClientVerdict put() {
    const auto sftp = start_sftp();
    if (!sftp) return client_error(sftp.error());
    const int local = open(job_.from.c_str(), O_RDONLY);
    if (local < 0) return client_error(job_.from + " cannot be read");
    const SftpFile file = open_remote(*sftp, job_.to, LIBSSH2_FXF_WRITE | LIBSSH2_FXF_CREAT | LIBSSH2_FXF_TRUNC);
    if (file == nullptr) return failed();
    std::vector<char> data(kSftpChunk);
    while (true) {
      const auto read = read_some(local, data.data(), data.size());
      if (!read) return client_error(read.error());
      if (*read == 0) break;
      for (size_t sent = 0; sent < *read;) {
        const ssize_t n = libssh2_sftp_write(file.get(), data.data() + sent, *read - sent);
        if (n < 0) return failed();
        sent += static_cast<size_t>(n);
      }
    }
    close(local);
    return {};
  }

  const ClientJob& job_;
  int socket_ = -1;
  Session session_;
};

}  // namespace
}  // namespace plumb

int main(int argc, char** argv) {
  if (libssh2_init(0) != 0) return 1;
  return plumb::client_main("libssh2 " LIBSSH2_VERSION, argc, argv,
                            [](const plumb::ClientJob& job) { return plumb::Client(job).run(); });
}
