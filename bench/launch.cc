// bench_launch PROGRAM [ARGUMENT]…: runs a program and tells what it cost.
//
// It exists because it is small. The kernel counts the most memory that a process ever had from before its exec on,
// when it still was a copy of whoever started it: a bench that starts its rivals by itself reads its own size.
#include "bench/launch.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <ctime>

namespace {

double now() {
  timespec time{};
  clock_gettime(CLOCK_MONOTONIC, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

double seconds_of(const timeval& time) {
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
}

/// The scheduler's account of a process that has ended and is not yet waited for: time on a core, time ready to run.
double core_wait_seconds(pid_t pid) {
  char path[64];
  std::snprintf(path, sizeof path, "/proc/%d/schedstat", static_cast<int>(pid));
  std::FILE* file = std::fopen(path, "re");
  if (file == nullptr) return 0;
  unsigned long long ran = 0, waited = 0;
  const bool read = std::fscanf(file, "%llu %llu", &ran, &waited) == 2;
  std::fclose(file);
  return read ? static_cast<double>(waited) * 1e-9 : 0;
}

plumb::Launched run(char** argv) {
  plumb::Launched told;
  const double begin = now();
  pid_t pid = -1;
  told.start_error = posix_spawn(&pid, argv[0], nullptr, nullptr, argv, environ);
  if (told.start_error != 0) return told;
  siginfo_t ended{};
  while (waitid(P_PID, static_cast<id_t>(pid), &ended, WEXITED | WNOWAIT) < 0 && errno == EINTR) continue;
  told.seconds = now() - begin;
  told.core_wait_seconds = core_wait_seconds(pid);
  rusage usage{};
  while (wait4(pid, &told.status, 0, &usage) < 0 && errno == EINTR) continue;
  told.user_seconds = seconds_of(usage.ru_utime);
  told.system_seconds = seconds_of(usage.ru_stime);
  told.peak_bytes = static_cast<uint64_t>(usage.ru_maxrss) * 1024;
  return told;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2 || fcntl(plumb::kLaunchReport, F_SETFD, FD_CLOEXEC) < 0) {
    std::fputs("bench_launch: ssh_bench and handshake_bench start it, with a pipe as descriptor 3\n", stderr);
    return 2;
  }
  const plumb::Launched told = run(argv + 1);
  return write(plumb::kLaunchReport, &told, sizeof told) == sizeof told ? 0 : 1;
}
