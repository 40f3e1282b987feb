# shellcheck shell=bash disable=SC2034,SC2154
# Sourced by bench_target.sh: the sshd of this system, on loopback, as the user who starts it.

time_limit=20
log=$folder/sshd.log

check_provider() {
  [ "$(id -u)" -eq 0 ] || return 0
  [[ $(getent shadow root) != root:!* ]] ||
    refuse 3 "the account root is locked, so that sshd lets nobody in; run as another user, or use --provider netns"
  [ -d /run/sshd ] || refuse 3 "sshd run by root needs the folder /run/sshd; make it (mkdir /run/sshd), or run as another user"
}

start_provider() {
  host=127.0.0.1 port=$(free_port) user=$(id -un)
  cp "$folder/key.pub" "$folder/authorized_keys"
  cat >"$folder/sshd_config" <<END
ListenAddress 127.0.0.1
Port $port
HostKey $folder/host_key
AuthorizedKeysFile $folder/authorized_keys
PasswordAuthentication no
KbdInteractiveAuthentication no
UsePAM no
StrictModes no
PidFile none
PrintMotd no
Subsystem sftp internal-sftp
END
  [ "$aead_only" = no ] || echo "Ciphers $aead_ciphers" >>"$folder/sshd_config"
  setsid "$(PATH=$PATH:/usr/sbin command -v sshd)" -D -f "$folder/sshd_config" -E "$log" </dev/null >/dev/null 2>&1 &
  server_is $!
}
