# shellcheck shell=bash
# Sourced by the scripts that install Debian packages: what is missing is installed, and no service is started by it.

# Sets `missing` to those of the given packages that are not installed.
find_missing() {
  missing=()
  local package
  for package in "$@"; do
    dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null | grep -qx installed || missing+=("$package")
  done
}

# Sets `as_root` to what has to stand before a command that needs root. $1: the script that asks, $2: what for.
need_root() {
  as_root=()
  [ "$(id -u)" -eq 0 ] && return 0  # without the 0 a trap would be given the status from before it
  command -v sudo >/dev/null || { echo "$1: run as root or install sudo; $2" >&2; exit 3; }
  as_root=(sudo)
}

# Installs packages without starting any service of theirs. $1: the script that asks, the rest: packages, at least one.
install_quietly() {
  local script=$1
  shift
  if ! command -v apt-get >/dev/null; then
    echo "$script: apt-get is not here; install by hand what these Debian packages hold: $*" >&2
    exit 3
  fi
  need_root "$script" "missing: $*"
  echo "$script: installing $*" >&2

  # invoke-rc.d and deb-systemd-invoke ask /usr/sbin/policy-rc.d before they start a service; 101 means "do not".
  policy=/usr/sbin/policy-rc.d
  if [ ! -e "$policy" ]; then
    trap '"${as_root[@]}" rm -f "$policy"' EXIT
    printf '#!/bin/sh\nexit 101\n' | "${as_root[@]}" tee "$policy" >/dev/null
    "${as_root[@]}" chmod 755 "$policy"
  fi
  "${as_root[@]}" apt-get update -q >&2
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends "$@" >&2

  # A service that was not there before is not started at the next boot either.
  local package unit
  for package in "$@"; do
    case $package in
      openssh-server) unit=ssh.service ;;
      tinysshd) unit=tinysshd.socket ;;
      *) continue ;;
    esac
    # The link by hand as well: a system without systemctl may be given one later.
    "${as_root[@]}" update-rc.d "${unit%.*}" disable >/dev/null 2>&1 || true
    "${as_root[@]}" systemctl disable "$unit" >/dev/null 2>&1 || true
    "${as_root[@]}" rm -f /etc/systemd/system/*.wants/"$unit"
    echo "$script: $package was installed for its program; its service is neither running nor enabled" >&2
  done
}
