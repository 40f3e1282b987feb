#!/usr/bin/env bash
# Installs what building and testing need, from Debian's packages. Run again at no cost: it does nothing when all is there.
#
#   tools/setup.sh [--fuzz]      --fuzz adds clang with libFuzzer
#
# No service is left running or enabled that was not before: openssh-server is needed for its program alone, since the
# tests start a private sshd of their own.
set -euo pipefail
# shellcheck source=tools/packages.sh
. "$(dirname "$0")/packages.sh"

packages=(
  g++ cmake ninja-build pkg-config python3 git ca-certificates
  libssl-dev libsodium-dev libasio-dev libexpected-dev
  libcli11-dev nlohmann-json3-dev libfmt-dev libgtest-dev libgmock-dev libbenchmark-dev
  libssh-dev libssh2-1-dev
  openssh-server openssh-client ssh-audit openssl procps valgrind clang-format
)
[ "$(uname -m)" = x86_64 ] && packages+=(libipsec-mb-dev qemu-user)  # for this architecture alone
for argument in "$@"; do
  case $argument in
    --fuzz) packages+=(clang libclang-rt-14-dev) ;;
    *) echo "usage: $0 [--fuzz]" >&2; exit 2 ;;
  esac
done

find_missing "${packages[@]}"

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

install_quietly setup "${missing[@]}"
provide_run_sshd
