#!/usr/bin/env bash
# Installs the SSH implementations of others that `interop_probe matrix` is judged by, from Debian's packages. Run again at
# no cost: it does nothing when all is there.
#
#   tools/peers.sh [--trixie]    --trixie adds OpenSSH 10: Debian trixie in a folder of its own (root, about three minutes,
#                                300 MB), $PLUMB_TRIXIE or ~/.cache/plumbline/trixie
#
# No service is left running or enabled that was not before: of each package the program alone is needed, since the matrix
# starts private servers.
set -euo pipefail
# shellcheck source=tools/packages.sh
. "$(dirname "$0")/packages.sh"

# dropbear-bin and not dropbear: that one is the service.
packages=(openssh-server openssh-client dropbear-bin tinysshd putty-tools)
trixie=${PLUMB_TRIXIE:-${XDG_CACHE_HOME:-$HOME/.cache}/plumbline/trixie}

build_trixie() {
  if [ -e "$trixie/complete" ]; then
    echo "peers: OpenSSH 10 is in $trixie" >&2
    return
  fi
  need_root peers "debootstrap makes a system of its own in $trixie"
  echo "peers: Debian trixie for OpenSSH 10 goes to $trixie; about three minutes" >&2
  # In a folder beside it until it is whole: a broken one is never taken for it.
  "${as_root[@]}" rm -rf --one-file-system "$trixie" "$trixie.partial"
  mkdir -p "$(dirname "$trixie")"
  # A package that asks a question would ask it for ever.
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive debootstrap --variant=minbase \
    --include=openssh-server,openssh-client trixie "$trixie.partial" http://deb.debian.org/debian </dev/null >&2
  "${as_root[@]}" rm -rf "$trixie.partial/var/cache/apt" "$trixie.partial/var/lib/apt/lists"
  "${as_root[@]}" touch "$trixie.partial/complete"
  "${as_root[@]}" mv "$trixie.partial" "$trixie"
  echo "peers: OpenSSH 10 is in $trixie; nothing of it runs outside of the matrix" >&2
}

with_trixie=no
for argument in "$@"; do
  case $argument in
    --trixie) with_trixie=yes; [ -e "$trixie/complete" ] || packages+=(debootstrap) ;;
    -h|--help) sed -n '2,10s/^# \{0,1\}//p' "$0"; exit 0 ;;
    *) echo "usage: $0 [--trixie]" >&2; exit 2 ;;
  esac
done

find_missing "${packages[@]}"
if [ ${#missing[@]} -gt 0 ]; then
  install_quietly peers "${missing[@]}"
else
  echo "peers: ${packages[*]} are installed" >&2
fi
[ "$with_trixie" = no ] || build_trixie
