# shellcheck shell=bash disable=SC2034,SC2154
# Sourced by bench_target.sh: a suite's system as a virtual machine. Debian's kernel for virtual machines starts a small
# /init, which mounts the disk, brings up the network and becomes sshd: a service manager would take longer to start than
# all the rest, most of all where the machine is emulated.

log=$folder/console.log
parts=${XDG_CACHE_HOME:-$HOME/.cache}/plumbline/vm
has_debian_root "$suite" || packages+=(debootstrap)
packages+=(qemu-system-x86 e2fsprogs cpio)

# In the order in which they need each other.
modules=(virtio_ring virtio virtio_pci_legacy_dev virtio_pci_modern_dev virtio_pci virtio_blk failover net_failover
  virtio_net)

check_provider() {
  [ "$(uname -m)" = x86_64 ] || refuse 3 "the virtual machine is an x86-64 one and this is $(uname -m); use --provider netns"
  need_root bench_target "the machine's disk holds files of root"
  [ -e "$parts/complete" ] || fetch_parts
}

# A kernel and a shell for its /init, out of Debian's packages without installing them.
fetch_parts() {
  local image
  say "fetching Debian's kernel for virtual machines to $parts"
  "${as_root[@]}" apt-get update -q >&2
  image=$(apt-cache depends linux-image-cloud-amd64 | awk '/Depends: linux-image-/ { print $2; exit }')
  [ -n "$image" ] || refuse 3 "the package lists have no linux-image-cloud-amd64; use --provider netns"
  rm -rf "$parts.partial"
  mkdir -p "$parts.partial/files"
  (cd "$parts.partial" && apt-get download -q "$image" busybox-static >&2)
  local package
  for package in "$parts.partial"/*.deb; do dpkg-deb -x "$package" "$parts.partial/files"; done
  rm "$parts.partial"/*.deb
  touch "$parts.partial/complete"
  rm -rf "$parts"
  mv "$parts.partial" "$parts"
}

# The machine's first file system, in memory: /init, its shell, the modules.
make_initrd() {
  local tree=$folder/initrd.d module
  mkdir -p "$tree/bin" "$tree/mnt" "$tree/dev"
  cp "$parts/files/bin/busybox" "$tree/bin/"
  for module in "${modules[@]}"; do find "$parts/files" -name "$module.ko" -exec cp {} "$tree/" \; ; done
  cat >"$tree/init" <<END
#!/bin/busybox sh
busybox() { /bin/busybox "\$@" || echo "init: \$* failed"; }
busybox mount -t devtmpfs dev /dev
for module in ${modules[*]}; do busybox insmod "/\$module.ko"; done
for _ in 1 2 3 4 5 6 7 8 9 10; do [ -b /dev/vda ] && break; /bin/busybox sleep 1; done
busybox mount -t ext4 /dev/vda /mnt
busybox mount -t proc proc /mnt/proc
busybox mount -t sysfs sys /mnt/sys
busybox mount -t devtmpfs dev /mnt/dev
busybox mkdir -p /mnt/dev/pts
busybox mount -t devpts devpts /mnt/dev/pts
busybox ip link set lo up
busybox ip address add 10.0.2.15/24 dev eth0
busybox ip link set eth0 up
exec /bin/busybox switch_root /mnt /usr/sbin/sshd -D -E /dev/console
END
  chmod 755 "$tree/init"
  (cd "$tree" && find . | cpio --quiet -o -H newc) >"$folder/initrd"
  rm -r "$tree"
}

# Holes of the disk are holes of its file.
make_disk() {
  furnish_root
  "${as_root[@]}" env PATH="$PATH:/usr/sbin:/sbin" mke2fs -q -t ext4 -d "$folder/root" "$folder/disk" 4G >/dev/null
  "${as_root[@]}" rm -rf --one-file-system "$folder/root"
  "${as_root[@]}" chown "$(id -u)" "$folder/disk"
}

# $@: by what means.
start_machine() {
  # Its network is this one port: restrict keeps it from everything else.
  setsid qemu-system-x86_64 "$@" -nodefaults -no-reboot -display none -m 768 -smp "$(nproc)" \
    -kernel "$(echo "$parts"/files/boot/vmlinuz-*)" -initrd "$folder/initrd" \
    -append "console=ttyS0 earlyprintk=ttyS0 panic=-1 rdinit=/init" -serial "file:$log" \
    -drive "file=$folder/disk,if=virtio,format=raw,cache=unsafe" \
    -netdev "user,id=net,restrict=on,hostfwd=tcp:127.0.0.1:$port-10.0.2.15:22" \
    -device virtio-net-pci,netdev=net,romfile= </dev/null >"$folder/qemu.log" 2>&1 &
  server_is $!
}

# A device /dev/kvm is no promise: in a machine that is virtual itself the kernel may never get to its first line.
speaks() {
  for _ in $(seq 100); do
    [ ! -s "$log" ] || return 0
    is_alive || return 1
    sleep 0.1
  done
  return 1
}

start_provider() {
  host=127.0.0.1 port=$(free_port) user=root
  make_disk
  make_initrd
  if [ "$emulate" = no ] && [ -r /dev/kvm ] && [ -w /dev/kvm ]; then
    time_limit=120
    start_machine -accel kvm -cpu host
    ! speaks || return 0
    end_server
  fi
  say "no KVM that works is here, so the machine is emulated: it takes a minute, and is good for ratios alone"
  time_limit=600
  start_machine -accel tcg -cpu max
}
