#!/usr/bin/env bash
# Installs what building and testing need, from Debian's packages. Run again at no cost: it does nothing when all is there.
#
#   tools/setup.sh [--fuzz]      --fuzz adds clang with libFuzzer
#
# No service is left running or enabled that was not before: openssh-server is needed for its program alone, since the
# tests start a private sshd of their own.
set -euo pipefail

packages=(
  g++ cmake ninja-build pkg-config python3 git ca-certificates
  libssl-dev libsodium-dev libasio-dev libexpected-dev
  libcli11-dev nlohmann-json3-dev libfmt-dev libgtest-dev libgmock-dev libbenchmark-dev
  openssh-server openssh-client openssl procps valgrind clang-format
)
[ "$(uname -m)" = x86_64 ] && packages+=(libipsec-mb-dev qemu-user)  # for this architecture alone
for argument in "$@"; do
  case $argument in
    --fuzz) packages+=(clang libclang-rt-14-dev) ;;
    *) echo "usage: $0 [--fuzz]" >&2; exit 2 ;;
  esac
done

missing=()
for package in "${packages[@]}"; do
  dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null | grep -qx installed || missing+=("$package")
done

# sshd run by root insists on /run/sshd, which its service makes at its start. The tests give theirs a /run of its own in a
# mount namespace; in a container that may make none, the folder itself has to be there.
provide_run_sshd() {
  [ "$(id -u)" -eq 0 ] && [ ! -d /run/sshd ] || return 0
  unshare --mount --propagation private true 2>/dev/null && return 0
  mkdir -p -m 755 /run/sshd
  echo "setup: made the empty folder /run/sshd, since no mount namespace can be made here" >&2
}

if [ ${#missing[@]} -eq 0 ]; then
  provide_run_sshd
  exit 0
fi

if ! command -v apt-get >/dev/null; then
  echo "setup: apt-get is not here; install by hand what these Debian packages hold: ${missing[*]}" >&2
  exit 3
fi
as_root=()
if [ "$(id -u)" -ne 0 ]; then
  command -v sudo >/dev/null || { echo "setup: run as root or install sudo; missing: ${missing[*]}" >&2; exit 3; }
  as_root=(sudo)
fi
echo "setup: installing ${missing[*]}" >&2

# invoke-rc.d asks /usr/sbin/policy-rc.d before it starts a service; 101 means "do not".
policy=/usr/sbin/policy-rc.d
if [ ! -e "$policy" ]; then
  printf '#!/bin/sh\nexit 101\n' | "${as_root[@]}" tee "$policy" >/dev/null
  "${as_root[@]}" chmod 755 "$policy"
  trap '"${as_root[@]}" rm -f "$policy"' EXIT
fi
"${as_root[@]}" apt-get update -q >&2
"${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends "${missing[@]}" >&2
if [[ " ${missing[*]} " == *" openssh-server "* ]]; then
  "${as_root[@]}" update-rc.d ssh disable >/dev/null 2>&1 || true
  echo "setup: openssh-server was installed for its program; its service is neither running nor enabled" >&2
fi
provide_run_sshd
