#!/usr/bin/env bash
# Every C++ file is formatted as .clang-format says. --fix formats them.
set -euo pipefail
cd "$(dirname "$0")/.."
mode=(--dry-run -Werror)
[ "${1:-}" = --fix ] && mode=(-i)
mapfile -t files < <(git ls-files '*.h' '*.cc')
[ ${#files[@]} -gt 0 ] || { echo "check_format: no C++ file is tracked here" >&2; exit 1; }
clang-format "${mode[@]}" "${files[@]}"
echo "format: ${#files[@]} files"
