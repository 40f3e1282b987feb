# shellcheck shell=bash disable=SC2034,SC2154
# Sourced by bench_target.sh: a suite's sshd in a network namespace, at the other end of a virtual cable. The namespaces have
# no names and end with their last process.

time_limit=60
log=$folder/root/var/log/sshd.log
has_debian_root "$suite" || packages+=(debootstrap)
packages+=(iproute2 util-linux)

check_provider() {
  need_root bench_target "a network namespace is made by root"
  "${as_root[@]}" unshare --net --pid --fork true 2>/dev/null ||
    refuse 3 "no network namespace can be made here (CAP_SYS_ADMIN); run outside of the container, or use --provider local"
}

# Prints the member of the server's family that is in another network namespace than we, once there is one.
inside_of() {
  local member
  for _ in $(seq 100); do
    for member in $(family_of "$1"); do
      if [ "$("${as_root[@]}" readlink "/proc/$member/ns/net")" != "$(readlink /proc/self/ns/net)" ]; then
        echo "$member"
        return
      fi
    done
    sleep 0.1
  done
  fail_with_log "the server's network namespace did not come up"
}

# Lays the cable to the namespace of process $1, between two addresses of 198.18.0.0/15 (RFC 2544: for benchmarks) that are
# free here.
connect_to() {
  local n
  for n in $(seq 0 255); do
    ! ip -o -4 address | grep -q " 198\.18\.$n\." || continue
    ! "${as_root[@]}" ip link add "plumb-bench$n" type veth peer name eth0 netns "$1" 2>/dev/null || break
  done
  link=plumb-bench$n host=198.18.$n.2
  remember
  "${as_root[@]}" ip address add "198.18.$n.1/30" dev "$link"
  "${as_root[@]}" ip link set "$link" up
  "${as_root[@]}" nsenter --target "$1" --net ip address add "$host/30" dev eth0
  "${as_root[@]}" nsenter --target "$1" --net ip link set eth0 up
  "${as_root[@]}" nsenter --target "$1" --net ip link set lo up
}

start_provider() {
  port=22 user=root
  furnish_root
  # Process 1 of a namespace of its own: whatever a session leaves behind ends with it.
  "${as_root[@]}" setsid unshare --net --pid --fork --kill-child \
    chroot "$folder/root" /usr/sbin/sshd -D -E /var/log/sshd.log </dev/null >/dev/null 2>&1 &
  server_is $!
  connect_to "$(inside_of "$pid")"
}
