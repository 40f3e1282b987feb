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
# shellcheck source=tools/debian_root.sh
. "$(dirname "$0")/debian_root.sh"

# dropbear-bin and not dropbear: that one is the service.
packages=(openssh-server openssh-client dropbear-bin tinysshd putty-tools)

with_trixie=no
for argument in "$@"; do
  case $argument in
    --trixie) with_trixie=yes; has_debian_root trixie || packages+=(debootstrap) ;;
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
[ "$with_trixie" = no ] || build_debian_root peers trixie
