#!/usr/bin/env bash
# A machine for ssh_bench to measure against: put up, asked for, taken down without a trace.
#
#   tools/bench_target.sh up [--provider local|netns|qemu] [--suite bookworm|trixie] [--aead-only] [--emulate]
#   tools/bench_target.sh status         what is up; exits 1 if nothing is
#   tools/bench_target.sh down
#
#   local    the sshd of this system, privately on loopback; the default
#   netns    Debian's sshd as Debian configures it, in a network namespace with an address of its own (root)
#   qemu     the same system as a virtual machine: KVM where it may be used, else emulated, which --emulate insists on
#
# --suite is the Debian release of netns and qemu: bookworm (OpenSSH 9.2, the default) or trixie (OpenSSH 10). --aead-only
# leaves the server chacha20-poly1305 and AES-GCM. Missing packages are installed; no service is started by that. All files
# lie in .cache/bench-target of the working folder, with .env beside it, by which ssh_bench run there finds the target.
set -euo pipefail
tools=$(dirname "$(realpath "$0")")
# shellcheck source=tools/packages.sh
. "$tools/packages.sh"
# shellcheck source=tools/debian_root.sh
. "$tools/debian_root.sh"

folder=$PWD/.cache/bench-target
env_file=$PWD/.env
marker="written by tools/bench_target.sh up, removed by its down"
aead_ciphers=chacha20-poly1305@openssh.com,aes256-gcm@openssh.com,aes128-gcm@openssh.com

say() { echo "bench_target: $1" >&2; }
refuse() { say "$2"; exit "$1"; }
usage() { refuse 2 "usage: $0 up [--provider local|netns|qemu] [--suite bookworm|trixie] [--aead-only] [--emulate] | status | down"; }

# Prints when a living process was started, in the kernel's ticks: with its number that names it for ever.
started_at() {
  local stat
  stat=$(cat "/proc/$1/stat" 2>/dev/null) || return 1
  read -r -a stat <<<"${stat##*) }"
  [ "${stat[0]}" != Z ] && echo "${stat[19]}"
}

# Prints a process and all that descend from it.
family_of() {
  local child
  echo "$1"
  for child in $(pgrep -P "$1"); do family_of "$child"; done
}

# What is up, in the file `target`: provider, suite, host, port, user, pid, started, link.
remember() { declare -p provider suite host port user pid started link | sed 's/^declare -[-a-z]* //' >"$folder/target"; }
recall() {
  provider='' suite='' host='' port='' user='' pid='' started='' link=''
  # shellcheck source=/dev/null
  [ ! -e "$folder/target" ] || . "$folder/target"
}
is_alive() { [ -n "$pid" ] && [ "$(started_at "$pid")" = "$started" ]; }
describe() { echo "$provider${suite:+, Debian $suite}, ${user:-?}@${host:-?} port ${port:-?}"; }

# Ends the server's process and all that descend from it.
end_server() {
  is_alive || return 0
  local family
  "${as_root[@]}" kill -STOP "$pid"  # so that it starts nothing while its family is looked up
  mapfile -t family < <(family_of "$pid")
  "${as_root[@]}" kill -KILL "${family[@]}" 2>/dev/null || true
  for _ in $(seq 100); do is_alive || return 0; sleep 0.1; done
  refuse 1 "process $pid does not end"
}

# Removes all of the target, whatever of it there is.
take_down() {
  as_root=()
  [ "$provider" = local ] || need_root bench_target "the target was made by root"
  end_server
  [ -z "$link" ] || "${as_root[@]}" ip link delete "$link" 2>/dev/null || true  # goes with its namespace, if a little later
  ! grep -qsF "$marker" "$env_file" || rm -f "$env_file"
  "${as_root[@]}" rm -rf --one-file-system "$folder"
  rmdir --ignore-fail-on-non-empty "$(dirname "$folder")" 2>/dev/null || true
}

free_port() { python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'; }

# Makes the keys of the target and of its user.
make_keys() {
  ssh-keygen -q -t ed25519 -N '' -C "throw-away key of tools/bench_target.sh" -f "$folder/key"
  ssh-keygen -q -t ed25519 -N '' -C "throw-away host key of tools/bench_target.sh" -f "$folder/host_key"
}

# Copies the suite's system to $folder/root and lets the key in. Its configuration stays Debian's.
furnish_root() {
  local root=$folder/root
  "${as_root[@]}" cp -a --reflink=auto "$(debian_root "$suite")" "$root"
  "${as_root[@]}" mkdir -p -m 700 "$root/root/.ssh"
  "${as_root[@]}" mkdir -p -m 755 "$root/run/sshd"
  "${as_root[@]}" rm -f "$root"/etc/ssh/ssh_host_*
  "${as_root[@]}" install -m 600 -o 0 -g 0 "$folder/host_key" "$root/etc/ssh/ssh_host_ed25519_key"
  "${as_root[@]}" install -m 600 -o 0 -g 0 "$folder/key.pub" "$root/root/.ssh/authorized_keys"
  [ "$aead_only" = no ] || echo "Ciphers $aead_ciphers" |
    "${as_root[@]}" tee "$root/etc/ssh/sshd_config.d/aead-only.conf" >/dev/null
}

with_ssh_options() {
  local program=$1
  shift
  "$program" -F none -o BatchMode=yes -o ConnectTimeout=10 -o IdentitiesOnly=yes -o StrictHostKeyChecking=yes \
    -o UserKnownHostsFile="$folder/known_hosts" -o GlobalKnownHostsFile=/dev/null -i "$folder/key" "$@"
}

# Logs in until it works, at most $time_limit seconds; then asks for SFTP.
verify() {
  local until=$((SECONDS + time_limit)) answer=
  if [ "$port" = 22 ]; then echo -n "$host"; else echo -n "[$host]:$port"; fi >"$folder/known_hosts"
  echo " $(cut -d' ' -f1,2 "$folder/host_key.pub")" >>"$folder/known_hosts"
  while ! answer=$(with_ssh_options ssh -p "$port" "$user@$host" true 2>&1 </dev/null); do
    is_alive || fail_with_log "the server ended"
    [ $SECONDS -lt $until ] || fail_with_log "nobody could log in for $time_limit seconds (${answer##*$'\n'})"
    sleep 0.2
  done
  echo pwd | with_ssh_options sftp -q -b - -P "$port" "$user@$host" >/dev/null 2>&1 ||
    fail_with_log "the server has no sftp-server"
}

fail_with_log() {
  say "$1; the end of its log:"
  "${as_root[@]}" tail -n 30 "$log" >&2 || true
  exit 4
}

write_env() {
  (umask 077 && cat >"$env_file") <<END
# $marker
PLUMB_BENCH_HOST=$host
PLUMB_BENCH_PORT=$port
PLUMB_BENCH_USER=$user
PLUMB_BENCH_KEY=$folder/key
PLUMB_BENCH_KNOWN_HOSTS=$folder/known_hosts
END
}

up() {
  provider=local suite='' aead_only=no emulate=no
  while [ $# -gt 0 ]; do
    case $1 in
      --provider) provider=${2:-} ; shift ;;
      --suite) suite=${2:-} ; shift ;;
      --aead-only) aead_only=yes ;;
      --emulate) emulate=yes ;;
      *) usage ;;
    esac
    shift || usage
  done
  case $provider in
    local) [ -z "$suite" ] || refuse 2 "--suite is for netns and qemu; local runs the sshd of this system" ;;
    netns|qemu) suite=${suite:-bookworm} ;;
    *) refuse 2 "there is no provider '$provider'; known are local, netns and qemu" ;;
  esac
  case $suite in
    ''|bookworm|trixie) ;;
    *) refuse 2 "there is no suite '$suite' here; known are bookworm and trixie" ;;
  esac
  [ "$emulate" = no ] || [ "$provider" = qemu ] || refuse 2 "--emulate is for qemu"
  if [ -e "$folder" ]; then
    recall
    refuse 1 "a target is here already ($(describe)); take it down first: $0 down"
  fi
  [ ! -e "$env_file" ] || refuse 1 "$env_file is there and not this script's; move it away first"

  as_root=()
  packages=(openssh-server openssh-client procps python3)
  # shellcheck source=tools/bench_target/local.sh
  # shellcheck source=tools/bench_target/netns.sh
  # shellcheck source=tools/bench_target/qemu.sh
  . "$tools/bench_target/$provider.sh"
  find_missing "${packages[@]}"
  [ ${#missing[@]} -eq 0 ] || (install_quietly bench_target "${missing[@]}")
  check_provider
  [ -z "$suite" ] || build_debian_root bench_target "$suite"

  host='' port='' user='' pid='' started='' link=''
  trap 'exit 130' INT TERM HUP
  trap 'take_down; say "nothing is left of the target that did not come up"' EXIT
  (umask 077 && mkdir -p "$folder")
  remember
  make_keys
  start_provider
  verify
  write_env
  trap - EXIT
  say "up: $(describe); log: $log"
}

# A provider's start ends with this, once its process runs.
server_is() {
  disown "$1"  # how it ends is told by its log
  pid=$1
  started=$(started_at "$pid") || fail_with_log "the server ended at once"
  remember
}

status() {
  [ -e "$folder" ] || refuse 1 "no target is up in $PWD"
  recall
  is_alive || refuse 1 "a target was up ($(describe)), but its server is gone; remove the rest: $0 down"
  say "up: $(describe), process $pid"
}

down() {
  [ -e "$folder" ] || refuse 1 "no target is up in $PWD"
  recall
  local what
  what=$(describe)
  take_down
  say "down: $what"
}

[ $# -gt 0 ] || usage
command=$1
shift
case $command in
  up) up "$@" ;;
  status|down) [ $# -eq 0 ] || usage; $command ;;
  -h|--help) sed -n '2,15s/^# \{0,1\}//p' "$0" ;;
  *) usage ;;
esac
