// Ours, as `plumb exec`, `plumb get` and `plumb put` call it; and with figures of its flow held where they are slow, so
// that what finds them (bench/reading.h) can be put to the test.
#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>

#include "bench/clients/client_main.h"
#include "bench/clients/echo_role.h"
#include "forward/exec_client.h"
#include "forward/sftp_client.h"
#include "sftp/file_get.h"
#include "sftp/file_put.h"
#include "sftp/posix_files.h"
#include "tools/host_key_check.h"
#include "tools/identity.h"

namespace plumb {
namespace {

struct Slowness {
  uint32_t window = 0;  ///< bytes of receive window, held there
  size_t write = 0;     ///< most bytes of one write to the socket
  uint64_t flight = 0;  ///< bytes of SFTP requests under way
};

/// Round trips of small messages, beside a channel that is full.
struct Echoes {
  size_t count = 0;
  std::string beside;
};

/// The job in the words of every client command.
Checked<ClientOptions> options_of(const ClientJob& job) {
  ClientArguments arguments;
  arguments.destination = job.user + "@" + job.host;
  arguments.port = std::to_string(job.port);
  arguments.settings = {"BatchMode=yes", "StrictHostKeyChecking=yes"};
  if (!job.key.empty()) {
    arguments.identity_files = {job.key};
    arguments.settings.emplace_back("IdentitiesOnly=yes");
  }
  if (!job.known_hosts.empty()) arguments.settings.push_back("UserKnownHostsFile=" + job.known_hosts);
  if (!job.cipher.empty()) arguments.ciphers = job.cipher;
  return read_client_options(arguments);
}

/// Who logs in and how. Must outlive the requests that are made of it.
class Login {
 public:
  static tl::expected<Login, std::string> make(const ClientJob& job, const Slowness& slow) {
    auto options = options_of(job);
    if (!options) return client_error(options.error());
    Login login(job, slow, *std::move(options));
    if (!job.password) {
      auto identities = load_identities(*login.options_);
      if (!identities) return client_error(identities.error());
      login.identities_ = *std::move(identities);
    }
    auto check = HostKeyCheck::load(*login.options_);
    if (!check) return client_error(check.error());
    login.check_ = std::make_unique<HostKeyCheck>(*std::move(check));
    return login;
  }

  void fill(LoginRequest& request) const {
    request.host = options_->host;
    request.port = options_->port;
    request.user = options_->user;
    for (const auto& key : identities_.keys) request.keys.push_back(key.get());
    check_->attach_to(request);
    if (job_->password) {
      request.password = [job = job_] { return SecretBytes(as_bytes(*job->password)); };
    }
    request.progress = [job = job_](std::string_view line) { mark(*job, line); };
    request.config.algorithms = options_->algorithms;
    request.config.algorithms.host_keys = check_->algorithms();
    if (slow_.window != 0) request.config.channel_window = request.config.channel_window_limit = slow_.window;
    if (slow_.write != 0) request.flow.write_size = slow_.write;
  }

  /// Where the host key was refused, that is the reason.
  std::string explain(const std::string& sentence) const {
    return check_->refusal().empty() ? sentence : check_->refusal();
  }

 private:
  Login(const ClientJob& job, const Slowness& slow, ClientOptions options)
      : job_(&job), slow_(slow), options_(std::make_unique<ClientOptions>(std::move(options))) {}

  const ClientJob* job_;
  Slowness slow_;
  std::unique_ptr<ClientOptions> options_;
  Identities identities_;
  std::unique_ptr<HostKeyCheck> check_;
};

ClientVerdict exec(const ClientJob& job, const Login& login) {
  ExecRequest request;
  login.fill(request);
  request.command = job.from;
  request.input_fd = STDIN_FILENO;
  request.output_fd = STDOUT_FILENO;
  request.error_fd = STDERR_FILENO;
  const ExecOutcome outcome = run_exec(request);
  if (outcome.stage != ExecOutcome::Stage::kDone) return client_error(login.explain(outcome.error_detail));
  if (outcome.exited && outcome.exit_status == 0) return {};
  return client_error(fmt::format("the command ended with status {}", outcome.exit_status));
}

ClientVerdict copy(const ClientJob& job, const Login& login, const Slowness& slow) {
  LoginRequest request;
  login.fill(request);
  SftpClient client(std::move(request));
  if (!client.connect()) return client_error(login.explain(client.failure()));
  std::error_code ignored;
  const auto files = sftp::PosixFiles::open({.home = std::filesystem::current_path(ignored).string()});
  if (!files) return client_error(describe(files.error()));
  const uint64_t flight = slow.flight != 0 ? slow.flight : client.max_in_flight();
  const auto done = [&](auto&& task) {
    client.run(task);
    return task.result();
  };
  const sftp::FileResult result =
      job.task == ClientJob::Task::kGet
          ? done(sftp::FileGet(client.client(), job.from, **files, job.to, {.max_in_flight = flight}))
          : done(sftp::FilePut(client.client(), **files, job.from, job.to, {.max_in_flight = flight}));
  client.close();
  if (!result.done()) return client_error(fmt::format("{}: {}", job.from, sftp::cause_of(result.transfer)));
  return {};
}

/// Prints the seconds of each.
ClientVerdict echo(const ClientJob& job, const Login& login, const Echoes& echoes) {
  LoginRequest request;
  login.fill(request);
  EchoRole role(request, job.from, echoes.beside, echoes.count);
  const std::vector<double> times = role.run();
  if (times.size() < echoes.count) return client_error(login.explain(role.failure()));
  fmt::print("{:.6f}\n", fmt::join(times, "\n"));
  return {};
}

ClientVerdict run(const ClientJob& job, const Slowness& slow, const Echoes& echoes) {
  const auto login = Login::make(job, slow);
  if (!login) return client_error(login.error());
  if (echoes.count > 0) return echo(job, *login, echoes);
  return job.task == ClientJob::Task::kExec ? exec(job, *login) : copy(job, *login, slow);
}

}  // namespace
}  // namespace plumb

int main(int argc, char** argv) {
  plumb::Slowness slow;
  plumb::Echoes echoes;
  return plumb::client_main(
      "plumbline", argc, argv, [&](const plumb::ClientJob& job) { return plumb::run(job, slow, echoes); },
      [&](CLI::App& app) {
        app.add_option("--window", slow.window, "Bytes of receive window, held there");
        app.add_option("--write", slow.write, "Most bytes of one write to the socket");
        app.add_option("--flight", slow.flight, "Bytes of SFTP requests that may be under way");
        app.add_option("--echoes", echoes.count, "Round trips of 64 bytes to the command; prints the seconds of each");
        app.add_option("--beside", echoes.beside, "Another command, whose output flows meanwhile");
      });
}
