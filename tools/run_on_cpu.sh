#!/usr/bin/env bash
# Runs a program as an older x86-64 CPU would: by qemu's imitation of it, which raises an illegal instruction for what that
# CPU lacks, or under valgrind, whose CPU has AVX2 and reports reads of uninitialised memory.
#
#   tools/run_on_cpu.sh CPU PROGRAM [ARGUMENT…]     CPU: valgrind, or a name of `qemu-x86_64 -cpu help`, as Nehalem
#
# Its status is the program's; 77, which CTest shows as skipped, if the emulator is not installed (tools/setup.sh).
set -euo pipefail
[ $# -ge 2 ] || { echo "usage: $0 CPU PROGRAM [ARGUMENT…]" >&2; exit 2; }
cpu=$1
shift

emulator=(qemu-x86_64 -cpu "$cpu")
[ "$cpu" = valgrind ] && emulator=(valgrind --quiet --error-exitcode=99)
if ! command -v "${emulator[0]}" >/dev/null; then
  echo "skipped: ${emulator[0]} is not installed; tools/setup.sh installs it" >&2
  exit 77
fi
if nm "$1" 2>/dev/null | grep -qE ' __(asan|tsan)_init$'; then
  echo "skipped: $1 has a sanitizer in it, which needs the whole address space" >&2
  exit 77
fi
exec "${emulator[@]}" "$@"
