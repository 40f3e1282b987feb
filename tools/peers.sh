#!/usr/bin/env bash
# Installs the SSH implementations of others that `interop_probe matrix` and the tests of SFTP are judged by, from Debian's
# packages. Run again at no cost: it does nothing when all is there.
#
#   tools/peers.sh [--trixie] [--npm]
#     --trixie  adds OpenSSH 10: Debian trixie in a folder of its own (root, about three minutes, 300 MB), $PLUMB_TRIXIE or
#               ~/.cache/plumbline/trixie
#     --npm     adds npm's ssh2, which Debian does not have, in $PLUMB_NPM or ~/.cache/plumbline/npm
#
# No service is left running or enabled that was not before: of each package the program alone is needed, since the matrix
# starts private servers.
set -euo pipefail
# shellcheck source=tools/packages.sh
. "$(dirname "$0")/packages.sh"
# shellcheck source=tools/debian_root.sh
. "$(dirname "$0")/debian_root.sh"

# dropbear-bin and not dropbear: that one is the service.
packages=(openssh-server openssh-client dropbear-bin tinysshd putty-tools sshfs rclone lftp python3-asyncssh)

npm=${PLUMB_NPM:-${XDG_CACHE_HOME:-$HOME/.cache}/plumbline/npm}

with_trixie=no
with_npm=no
for argument in "$@"; do
  case $argument in
    --trixie) with_trixie=yes; has_debian_root trixie || packages+=(debootstrap) ;;
    --npm) with_npm=yes; command -v npm >/dev/null || packages+=(nodejs npm) ;;
    -h|--help) sed -n '2,12s/^# \{0,1\}//p' "$0"; exit 0 ;;
    *) echo "usage: $0 [--trixie] [--npm]" >&2; exit 2 ;;
  esac
done

find_missing "${packages[@]}"
if [ ${#missing[@]} -gt 0 ]; then
  install_quietly peers "${missing[@]}"
else
  echo "peers: ${packages[*]} are installed" >&2
fi
[ "$with_trixie" = no ] || build_debian_root peers trixie
if [ "$with_npm" = yes ] && [ ! -d "$npm/node_modules/ssh2" ]; then
  mkdir -p "$npm"
  npm install --silent --no-fund --no-audit --ignore-scripts --omit=optional --prefix "$npm" ssh2@1.16.0 >&2
  echo "peers: npm's ssh2 is in $npm" >&2
fi
