// interop_probe: which layer of an SSH implementation is wrong.
#include <CLI/CLI.hpp>
#include <functional>

#include "interop/probe_commands.h"
#include "tools/program.h"

int main(int argc, char** argv) {
  CLI::App app("Tells which layer of an SSH implementation is wrong.", "interop_probe");
  plumb::add_standard_options(
      app,
      "  interop_probe reproduce                      every fault against a private sshd, and what it says\n"
      "  interop_probe reproduce --fault keys-swapped one of them\n"
      "  interop_probe matrix --peer dropbear         every algorithm in common with another implementation\n"
      "  interop_probe diagnose < /var/log/auth.log   what a server's log says about its client");
  app.require_subcommand(1);
  std::function<int()> command;
  plumb::add_reproduce(app, command);
  plumb::add_diagnose(app, command);
  plumb::add_matrix(app, command);
  if (const auto code = plumb::parse_command_line(app, argc, argv)) return *code;
  return command();
}
