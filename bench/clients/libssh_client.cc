// libssh through its own API, as its documentation uses it: blocking calls, SFTP reads in flight by sftp_async_read.
#include <fcntl.h>
#include <fmt/format.h>
#include <libssh/libssh.h>
#include <libssh/sftp.h>
#include <unistd.h>

#include <algorithm>
#include <deque>
#include <memory>
#include <vector>

#include "bench/clients/client_main.h"
#include "core/freer.h"

namespace plumb {
namespace {

using Session = std::unique_ptr<ssh_session_struct, Freer<&ssh_free>>;
using Key = std::unique_ptr<ssh_key_struct, Freer<&ssh_key_free>>;
using Channel = std::unique_ptr<ssh_channel_struct, Freer<&ssh_channel_free>>;
using EventLoop = std::unique_ptr<ssh_event_struct, Freer<&ssh_event_free>>;
using Sftp = std::unique_ptr<sftp_session_struct, Freer<&sftp_free>>;
using SftpFile = std::unique_ptr<sftp_file_struct, Freer<&sftp_close>>;

constexpr size_t kChunk = 128 * 1024;
// A READ brings as much as fits into a packet of most servers; 32 of them are in flight.
constexpr uint32_t kRead = 32 * 1024;
constexpr size_t kReadsInFlight = 32;
// A WRITE is waited for, so it is as large as OpenSSH's server takes it.
constexpr size_t kWrite = 255 * 1024;

class Client {
 public:
  explicit Client(const ClientJob& job) : job_(job), session_(ssh_new()) {}

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
  tl::unexpected<std::string> failed() const { return client_error(ssh_get_error(session_.get())); }

  tl::unexpected<std::string> failed(const Sftp& sftp, const std::string& path) const {
    return client_error(fmt::format("{}: SFTP status {}", path, sftp_get_error(sftp.get())));
  }

  bool set(ssh_options_e option, const std::string& value) {
    return value.empty() || ssh_options_set(session_.get(), option, value.c_str()) == SSH_OK;
  }

  ClientVerdict log_in() {
    const int no = 0;
    const int port = job_.port;
    ssh_options_set(session_.get(), SSH_OPTIONS_PROCESS_CONFIG, &no);
    ssh_options_set(session_.get(), SSH_OPTIONS_PORT, &port);
    if (!set(SSH_OPTIONS_HOST, job_.host) || !set(SSH_OPTIONS_USER, job_.user)) return failed();
    if (!set(SSH_OPTIONS_CIPHERS_C_S, job_.cipher) || !set(SSH_OPTIONS_CIPHERS_S_C, job_.cipher))
      return client_error("it has no " + job_.cipher);
    if (!job_.known_hosts.empty()) {
      set(SSH_OPTIONS_KNOWNHOSTS, job_.known_hosts);
      set(SSH_OPTIONS_GLOBAL_KNOWNHOSTS, "/dev/null");
    }
    if (ssh_connect(session_.get()) != SSH_OK) return failed();
    mark(job_, "keys agreed");
    if (ssh_session_is_known_server(session_.get()) != SSH_KNOWN_HOSTS_OK)
      return client_error("the host key is not known; connect once with ssh");
    if (!authenticate()) return client_error(fmt::format("{} refused the login of {}", job_.host, job_.user));
    mark(job_, "logged in");
    return {};
  }

  bool authenticate() {
    if (job_.password)
      return ssh_userauth_password(session_.get(), nullptr, job_.password->c_str()) == SSH_AUTH_SUCCESS;
    if (job_.key.empty()) return ssh_userauth_publickey_auto(session_.get(), nullptr, nullptr) == SSH_AUTH_SUCCESS;
    ssh_key raw = nullptr;
    if (ssh_pki_import_privkey_file(job_.key.c_str(), nullptr, nullptr, nullptr, &raw) != SSH_OK) return false;
    const Key key(raw);
    return ssh_userauth_publickey(session_.get(), nullptr, key.get()) == SSH_AUTH_SUCCESS;
  }

  ClientVerdict exec() {
    const Channel channel(ssh_channel_new(session_.get()));
    if (ssh_channel_open_session(channel.get()) != SSH_OK) return failed();
    if (ssh_channel_request_exec(channel.get(), job_.from.c_str()) != SSH_OK) return failed();
    return carry(channel.get()).and_then([&]() -> ClientVerdict {
      const int status = ssh_channel_get_exit_status(channel.get());
      if (status != 0) return client_error(fmt::format("the command ended with status {}", status));
      return {};
    });
  }

  /// Both ways. What is sent is what the window takes, so that nothing is waited for while output comes.
  ClientVerdict carry(ssh_channel channel) {
    const EventLoop loop(ssh_event_new());
    ssh_event_add_session(loop.get(), session_.get());
    std::vector<char> in(kChunk), out(kChunk);
    bool input_over = false;
    while (!ssh_channel_is_eof(channel)) {
      bool moved = false;
      const size_t window = ssh_channel_window_size(channel);
      if (!input_over && window > 0) {
        const auto n = read_some(STDIN_FILENO, in.data(), std::min(window, in.size()));
        if (!n) return client_error(n.error());
        input_over = *n == 0;
        const int sent = input_over ? ssh_channel_send_eof(channel)
                                    : ssh_channel_write(channel, in.data(), static_cast<uint32_t>(*n));
        if (sent < 0) return failed();
        moved = true;
      }
      int n = 0;
      while ((n = ssh_channel_read_nonblocking(channel, out.data(), static_cast<uint32_t>(out.size()), 0)) > 0) {
        if (const ClientVerdict written = write_all(STDOUT_FILENO, out.data(), static_cast<size_t>(n)); !written)
          return written;
        moved = true;
      }
      if (n == SSH_ERROR) return failed();
      if (!moved && !ssh_channel_is_eof(channel) && ssh_event_dopoll(loop.get(), -1) == SSH_ERROR) return failed();
    }
    ssh_event_remove_session(loop.get(), session_.get());
    return {};
  }

  tl::expected<Sftp, std::string> start_sftp() {
    Sftp sftp(sftp_new(session_.get()));
    if (sftp == nullptr || sftp_init(sftp.get()) != SSH_OK) return failed();
    return sftp;
  }

  ClientVerdict get() {
    const auto sftp = start_sftp();
    if (!sftp) return client_error(sftp.error());
    const SftpFile file(sftp_open(sftp->get(), job_.from.c_str(), O_RDONLY, 0));
    if (file == nullptr) return failed(*sftp, job_.from);
    const int local = open(job_.to.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    if (local < 0) return client_error(job_.to + " cannot be written");
    std::vector<char> data(kRead);
    std::deque<int> asked;
    bool ended = false;
    while (true) {
      while (!ended && asked.size() < kReadsInFlight) asked.push_back(sftp_async_read_begin(file.get(), kRead));
      if (asked.empty()) break;
      const int n = sftp_async_read(file.get(), data.data(), kRead, static_cast<uint32_t>(asked.front()));
      asked.pop_front();
      if (n < 0) return failed(*sftp, job_.from);
      ended |= n == 0;
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
    const SftpFile file(sftp_open(sftp->get(), job_.to.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600));
    if (file == nullptr) return failed(*sftp, job_.to);
    std::vector<char> data(kWrite);
    while (true) {
      const auto n = read_some(local, data.data(), data.size());
      if (!n) return client_error(n.error());
      if (*n == 0) break;
      if (sftp_write(file.get(), data.data(), *n) != static_cast<ssize_t>(*n)) return failed(*sftp, job_.to);
    }
    close(local);
    return {};
  }

  const ClientJob& job_;
  Session session_;
};

}  // namespace
}  // namespace plumb

int main(int argc, char** argv) {
  return plumb::client_main(fmt::format("libssh {}", ssh_version(0)), argc, argv,
                            [](const plumb::ClientJob& job) { return plumb::Client(job).run(); });
}
