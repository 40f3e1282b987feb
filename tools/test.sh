#!/usr/bin/env bash
# Installs what is missing, builds, and runs the tests.
#
#   tools/test.sh [--preset NAME] [--slow] [ctest arguments…]
#
#   --preset NAME   a preset of CMakePresets.json; release if not given
#   --slow          only the tests labelled slow, which are left out otherwise
#   PLUMB_VECTORS   folder that holds wycheproof/*.json; those tests show as skipped without it
#   PLUMB_BIG_FILES=1   with --slow: files of 5 GiB there and back too, which takes 12 GB of disk
set -euo pipefail
cd "$(dirname "$0")/.."

preset=release
label=(-LE slow)
while [ $# -gt 0 ]; do
  case $1 in
    --preset) preset=${2:?--preset needs a name}; shift 2 ;;
    --slow) label=(-L slow); shift ;;
    -h|--help) sed -n '2,10s/^# \{0,1\}//p' "$0"; exit 0 ;;
    *) break ;;
  esac
done

tools/setup.sh
cmake --preset "$preset" >/dev/null
cmake --build --preset "$preset"
cd "build/$preset"
# Tests that wait (timeouts, stalls, handshakes) fill the gaps of those that compute.
ctest "${label[@]}" --output-on-failure --no-tests=error -j 3 "$@"
