#!/usr/bin/env bash
# A kernel object must define exactly one global symbol and no weak one (docs/architecture.md, "Kernels").
set -euo pipefail
[ $# -eq 1 ] || { echo "usage: $0 OBJECT" >&2; exit 2; }
# AddressSanitizer puts a marker of its own beside every global object.
symbols=$(nm --defined-only "$1" | awk '($2 ~ /^[A-Z]$/ || $2 ~ /^[wvu]$/) && $3 !~ /^__odr_asan\./')
weak=$(awk '$2 ~ /^[WVwvu]$/' <<<"$symbols")
globals=$(awk '$2 !~ /^[WVwvu]$/' <<<"$symbols" | grep -c . || true)
if [ -n "$weak" ]; then
  echo "$1 emits weak symbols, which the linker may keep for code that runs on any CPU:" >&2
  echo "$weak" >&2
  exit 1
fi
if [ "$globals" -ne 1 ]; then
  echo "$1 must define exactly one global symbol, its kernel, but defines $globals:" >&2
  echo "$symbols" >&2
  exit 1
fi
