#!/usr/bin/env bash
# Installs what is missing, builds Release, and runs the main job: how fast each cipher is here, and what a real sshd
# says to each known mistake.
#
#   tools/run.sh                 all of it
#   tools/run.sh --build-only    leaves the programs in build/release/bin/
set -euo pipefail
cd "$(dirname "$0")/.."

build_only=false
for argument in "$@"; do
  case $argument in
    --build-only) build_only=true ;;
    -h|--help) sed -n '2,6s/^# \{0,1\}//p' "$0"; exit 0 ;;
    *) echo "usage: $0 [--build-only]" >&2; exit 2 ;;
  esac
done

tools/setup.sh
cmake --preset release >/dev/null
cmake --build --preset release --target cipher_bench interop_probe chacha_probe plumb
$build_only && exit 0

bin=build/release/bin
printf '\n== cipher_bench: seal and open of SSH packets ==\n'
"$bin/cipher_bench" --quick
printf '\n== interop_probe reproduce: what OpenSSH says to each fault ==\n'
"$bin/interop_probe" reproduce
