# shellcheck shell=bash
# Sourced, after packages.sh, by the scripts that need a Debian system of its own in a folder: OpenSSH as that release has it.

# Prints the folder of a release's system: $PLUMB_BOOKWORM or $PLUMB_TRIXIE if set, else one in the user's cache.
debian_root() {
  local override=PLUMB_${1^^}
  echo "${!override:-${XDG_CACHE_HOME:-$HOME/.cache}/plumbline/$1}"
}

# Whether that system is there and whole.
has_debian_root() { [ -e "$(debian_root "$1")/complete" ]; }

# Makes it unless it is there; debootstrap has to be installed. $1: the script that asks, $2: the release.
build_debian_root() {
  local script=$1 release=$2 root as_root
  root=$(debian_root "$release")
  if has_debian_root "$release"; then
    echo "$script: Debian $release is in $root" >&2
    return
  fi
  need_root "$script" "debootstrap makes a system of its own in $root"
  echo "$script: Debian $release with OpenSSH goes to $root; about three minutes" >&2
  # In a folder beside it until it is whole: a broken one is never taken for it.
  "${as_root[@]}" rm -rf --one-file-system "$root" "$root.partial"
  mkdir -p "$(dirname "$root")"
  # A package that asks a question would ask it for ever.
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive debootstrap --variant=minbase \
    --include=openssh-server,openssh-client "$release" "$root.partial" http://deb.debian.org/debian </dev/null >&2
  "${as_root[@]}" rm -rf "$root.partial/var/cache/apt" "$root.partial/var/lib/apt/lists"
  "${as_root[@]}" touch "$root.partial/complete"
  "${as_root[@]}" mv "$root.partial" "$root"
  echo "$script: Debian $release is in $root; nothing of it runs unless it is asked for" >&2
}
