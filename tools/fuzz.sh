#!/usr/bin/env bash
# Builds the fuzz targets with libFuzzer and runs each for a while, two at a time, starting from its corpus.
#
#   tools/fuzz.sh [--seconds N] [--seed N] [TARGET…]      60 seconds and all targets (tests/fuzz/corpus/TARGET) if not given
#
# With a seed the same inputs come in the same order, from the corpus of the repository alone; without one, others each
# time, from all that earlier runs have found. A finding leaves its input in build/fuzz/findings/ and fails the run.
set -euo pipefail
cd "$(dirname "$0")/.."
root=$PWD

seconds=60
seed=
targets=()
while [ $# -gt 0 ]; do
  case $1 in
    --seconds) seconds=${2:?--seconds needs a number}; shift 2 ;;
    --seed) seed=${2:?--seed needs a number}; shift 2 ;;
    -h|--help) sed -n '2,7s/^# \{0,1\}//p' "$0"; exit 0 ;;
    -*) echo "usage: $0 [--seconds N] [--seed N] [TARGET…]" >&2; exit 2 ;;
    *) targets+=("$1"); shift ;;
  esac
done

tools/setup.sh --fuzz
cmake --preset fuzz >/dev/null
if [ ${#targets[@]} -eq 0 ]; then
  mapfile -t targets < <(cd tests/fuzz/corpus && ls)
fi
cmake --build --preset fuzz --target "${targets[@]/#/fuzz_}"

findings=$root/build/fuzz/findings
mkdir -p "$findings"
fuzz_one() {
  local target=$1 work=$root/build/fuzz/corpus/$1
  if [ -n "$seed" ]; then
    work=$root/build/fuzz/seeded/$1
    rm -rf "$work"
  fi
  mkdir -p "$work"
  if "$root/build/fuzz/bin/fuzz_$target" -max_total_time="$seconds" -seed="${seed:-0}" -timeout=10 -rss_limit_mb=2048 \
       -print_final_stats=1 -artifact_prefix="$findings/$target-" "$work" "$root/tests/fuzz/corpus/$target" >"$work.log" 2>&1; then
    echo "$target: $seconds s without a finding, $(grep -oP 'number_of_executed_units: \K\d+' "$work.log") runs"
    return 0
  fi
  tail -n 40 "$work.log" >&2
  echo "$target: FOUND a fault; its input is in $findings" >&2
  return 1
}
export -f fuzz_one
export root seconds seed findings
printf '%s\n' "${targets[@]}" | xargs -P 2 -I {} bash -c 'fuzz_one {}'
