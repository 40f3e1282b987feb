#include "forward/sftp_program.h"

#include <algorithm>
#include <string_view>

#include "sftp/posix_files.h"

namespace plumb {
namespace {

/// Larger than any packet that a peer takes: `begin_data` gives what fits.
constexpr size_t kWant = 256 * 1024;

/// Clients whose SYMLINK has the link first, as in the draft, towards all servers but OpenSSH's. Others follow OpenSSH.
constexpr std::string_view kLinkFirst[] = {"SSH-2.0-AsyncSSH_", "SSH-2.0-ssh2js", "SSH-2.0-libssh_"};

bool has_link_first(std::string_view client) {
  return std::ranges::any_of(kLinkFirst, [&](std::string_view name) { return client.starts_with(name); });
}

}  // namespace

Result<std::unique_ptr<SessionProgram>> SftpProgram::start(const SessionContext& context, ChannelId channel,
                                                           const InternalSftp& asked) {
  const std::string& root = context.rules.sftp_root;
  const sftp::PosixFilesOptions place{.confine_to = root, .home = root.empty() ? context.login.account.home : "/"};
  SftpWorker::Setup setup{
      .open_files = [place] { return sftp::PosixFiles::open(place); },
      .server = {.read_only = asked.read_only, .link_first = has_link_first(context.connection.peer_identification())},
      .window = context.window};
  auto worker = SftpWorker::start(context.io, context.file_threads, std::move(setup), context.wake);
  if (!worker) return tl::unexpected(worker.error());
  return std::unique_ptr<SessionProgram>(new SftpProgram(context, channel, *std::move(worker)));
}

// Nobody can use files whose replies he does not read.
void SftpProgram::on_end_of_write() {
  reader_gone_ = true;
  worker_->stop();
}

void SftpProgram::flush() {
  if (const size_t taken = worker_->take_credit(); taken != 0) context_.connection.consumed(channel_, taken);
}

bool SftpProgram::step() {
  const size_t ready = worker_->ready();
  if (ready == 0) return false;
  const MutBytes slot = context_.connection.begin_data(channel_, std::min(ready, kWant));
  if (slot.empty()) return false;
  context_.connection.commit_data(channel_, worker_->take(slot));
  return true;
}

bool SftpProgram::settle() {
  const std::optional<SftpEnd> end = reader_gone_ ? SftpEnd{} : worker_->end();
  if (!end) return false;
  if (end->error) context_.note("sftp: " + describe(*end->error));
  const bool good = !reader_gone_ && !end->error;
  context_.connection.send_exit_status(channel_, good ? 0 : 1);
  context_.connection.send_eof(channel_);
  context_.connection.close(channel_);
  return true;
}

}  // namespace plumb
