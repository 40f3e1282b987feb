// plumb: the library in daily use.
#include <fcntl.h>
#include <unistd.h>

#include <CLI/CLI.hpp>

#include "tools/cmd_exec.h"
#include "tools/cmd_files.h"
#include "tools/cmd_relay.h"
#include "tools/cmd_serve.h"
#include "tools/program.h"

namespace {

// A caller may have closed a standard descriptor. The next file that we open would take its number, and be read or
// written for it.
void open_standard_descriptors() {
  for (const int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (fcntl(fd, F_GETFD) >= 0) continue;
    if (open("/dev/null", fd == STDIN_FILENO ? O_RDONLY : O_WRONLY) != fd) _exit(1);
  }
}

}  // namespace

int main(int argc, char** argv) {
  open_standard_descriptors();
  CLI::App app("SSH that is right and fast: the library in daily use.", "plumb");
  plumb::add_standard_options(app,
                              "  plumb exec alice@example.org uptime   run a command there\n"
                              "  plumb get example.org:notes.txt .     copy files; put, ls, rm and others too\n"
                              "  plumb serve                           let yourself in from other hosts\n"
                              "  plumb relay --delay 50ms host:22      a longer path to a host\n"
                              "  plumb exec --help");
  app.require_subcommand(1);
  plumb::ExecCommand exec(app);
  const plumb::FileCommands files(app);
  const plumb::RelayCommand relay(app);
  const plumb::ServeCommand serve(app);
  const int own_argc = exec.take_words(argc, argv);
  if (const std::optional<int> code = plumb::parse_command_line(app, own_argc, argv)) return *code;
  if (files.chosen()) return files.run();
  if (relay.chosen()) return relay.run();
  return serve.chosen() ? serve.run() : exec.run();
}
