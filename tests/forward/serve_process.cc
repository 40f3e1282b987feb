#include "tests/forward/serve_process.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <pwd.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <regex>
#include <sstream>
#include <thread>

#include "interop/scratch_folder.h"

namespace plumb::testing {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

void make_key(const fs::path& path, const std::string& type, const std::string& bits = "") {
  std::vector<std::string> argv{"ssh-keygen", "-q", "-t", type, "-N", "", "-C", "", "-f", path.string()};
  if (!bits.empty()) argv.insert(argv.end(), {"-b", bits});
  const ProgramResult made = run_words(argv);
  EXPECT_EQ(made.exit_code, 0) << made.error;
}

std::string text_of(const fs::path& path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

pid_t launch(std::vector<std::string> argv, const fs::path& log) {
  std::vector<char*> words;
  for (std::string& word : argv) words.push_back(word.data());
  words.push_back(nullptr);
  const pid_t child = fork();
  if (child != 0) return child;
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  const int out = open(log.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600);
  const int in = open("/dev/null", O_RDONLY);
  dup2(in, 0);
  dup2(out, 1);
  dup2(out, 2);
  execvp(words[0], words.data());
  _exit(127);
}

}  // namespace

ProgramResult run_words(std::vector<std::string> argv) {
  ProgramRequest request;
  request.argv = std::move(argv);
  return run_program(request);
}

std::string ServeProcess::user() {
  const passwd* entry = getpwuid(geteuid());
  return entry == nullptr ? "" : entry->pw_name;
}

std::unique_ptr<ServeProcess> ServeProcess::start(const ServeSetup& setup) {
  const auto folder = make_scratch_folder("serve");
  EXPECT_TRUE(folder) << folder.error();
  if (!folder) return nullptr;
  std::unique_ptr<ServeProcess> made(new ServeProcess);
  made->folder_ = *folder;
  make_key(*folder / "host_key", setup.host_key_type, setup.host_key_bits);
  make_key(*folder / "client_key", "ed25519");
  std::ofstream(*folder / "authorized_keys")
      << setup.key_options << (setup.key_options.empty() ? "" : " ") << text_of(*folder / "client_key.pub");
  std::vector<std::string> argv{PLUMB_PROGRAM,
                                "serve",
                                "-v",
                                "--port",
                                "0",
                                "--host-key",
                                *folder / "host_key",
                                "--authorized-keys",
                                *folder / "authorized_keys"};
  argv.insert(argv.begin(), setup.launcher.begin(), setup.launcher.end());
  argv.insert(argv.end(), setup.arguments.begin(), setup.arguments.end());
  made->id_ = launch(argv, *folder / "log");

  std::smatch found;
  for (int i = 0; i < 1000; i++) {
    const std::string log = made->log();
    if (std::regex_search(log, found, std::regex("listening on .*:(\\d+)"))) {
      made->port_ = static_cast<uint16_t>(std::stoi(found[1]));
      std::ofstream(*folder / "known_hosts")
          << "[127.0.0.1]:" << made->port_ << " " << text_of(*folder / "host_key.pub");
      return made;
    }
    if (waitpid(made->id_, nullptr, WNOHANG) != 0) made->id_ = -1;
    if (made->id_ < 0) break;
    std::this_thread::sleep_for(10ms);
  }
  ADD_FAILURE() << "plumb serve does not listen: " << made->log();
  return nullptr;
}

ServeProcess::~ServeProcess() {
  if (id_ > 0) end(SIGTERM);
}

int ServeProcess::end(int signal) {
  kill(id_, signal);
  int status = 0;
  for (int i = 0; waitpid(id_, &status, WNOHANG) == 0; i++) {
    if (i == 1000) kill(id_, SIGKILL);
    std::this_thread::sleep_for(10ms);
  }
  id_ = -1;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

ProgramResult ServeProcess::bash(const std::string& script, std::chrono::milliseconds timeout) const {
  ProgramRequest request;
  request.argv = {"bash", "-c", "cd " + folder_.string() + "; " + script};
  const std::string options =
      "-F none -o BatchMode=yes -o LogLevel=ERROR -o UserKnownHostsFile=" + (folder_ / "known_hosts").string() +
      " -o IdentitiesOnly=yes -i " + (folder_ / "client_key").string() + " -o Port=" + std::to_string(port_);
  const std::string at = user() + "@127.0.0.1";
  request.environment = {{"OPTIONS", options},
                         {"AT", at},
                         {"SSH", "ssh " + options + " " + at},
                         {"PLUMB", std::string(PLUMB_PROGRAM) + " exec -o BatchMode=yes -o UserKnownHostsFile=" +
                                       (folder_ / "known_hosts").string() + " -i " + (folder_ / "client_key").string() +
                                       " -p " + std::to_string(port_) + " " + at}};
  request.timeout = timeout;
  return run_program(request);
}

std::string ServeProcess::log() const { return text_of(folder_ / "log"); }

bool ServeProcess::logs(const std::string& pattern) const {
  const std::regex expression(pattern);
  for (int i = 0; i < 1000; i++) {
    if (std::regex_search(log(), expression)) return true;
    std::this_thread::sleep_for(10ms);
  }
  return false;
}

std::string process_with(const std::string& word) {
  for (int i = 0; i < 500; i++) {
    if (run_words({"pgrep", "-f", "--", "^" + word + " "}).exit_code == 1) return "gone";
    std::this_thread::sleep_for(10ms);
  }
  return "there";
}

}  // namespace plumb::testing
