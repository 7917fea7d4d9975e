#!/bin/sh
# Prints a containers.conf with which podman and buildah can start containers on this machine, or nothing if the defaults
# work: sh scripts/container-settings.sh. Settings are tried, not guessed: machines differ, and hard limits that
# cannot be raised, a hybrid cgroup layout, or a missing systemd each make some setting fail.
# All attempts use a separate folder and do not touch the caller's podman.
set -eu

fail() {
  printf 'Cannot find settings for containers: %s\n' "$1" >&2
  exit 1
}

command -v podman >/dev/null 2>&1 || fail 'podman was not found'
dir=$(mktemp -d)
export CONTAINERS_CONF="$dir/containers.conf" CONTAINERS_STORAGE_CONF="$dir/storage.conf"
printf '[storage]\ndriver = "vfs"\ngraphroot = "%s"\nrunroot = "%s"\n' "$dir/storage" "$dir/run" >"$dir/storage.conf"
try() { podman --tmpdir "$dir/tmp" "$@" >>"$dir/log" 2>&1; }
trap 'rm -rf -- "$dir"' EXIT

# The pause container comes with podman. Starting it exercises every setting and needs no image.
works() {
  # File locks, because the shared-memory segment for locks is common to every podman on a machine.
  printf '%s\nlock_type = "file"\n' "$1" >"$CONTAINERS_CONF"
  started=no
  if try pod create --network host --name probe --pod-id-file "$dir/id" && try pod start probe; then started=yes; fi
  try pod rm --force --time 0 probe || :
  # podman leaves some of these behind if cgroups of both versions are mounted.
  [ ! -s "$dir/id" ] || rmdir /sys/fs/cgroup/*/libpod_parent/"$(cat "$dir/id")" 2>/dev/null || :
  rm -f -- "$dir/id"
  [ "$started" = yes ]
}

# podman caps its process limit at pid_max.
hard() { sed -n "s/^$1 *[^ ]* *\([^ ]*\).*/\1/p" /proc/self/limits; }
least() { if [ "$1" != unlimited ] && [ "$1" -lt "$2" ]; then echo "$1"; else echo "$2"; fi; }
files=$(least "$(hard 'Max open files')" 1048576)
processes=$(least "$(hard 'Max processes')" "$(cat /proc/sys/kernel/pid_max)")
capped="default_ulimits = [\"nofile=$files:$files\", \"nproc=$processes:$processes\"]"

if works '[engine]'; then exit 0; fi
for manager in systemd cgroupfs; do
  for limits in '' "$capped"; do
    for runtime in crun runc; do
      settings=$(printf '[containers]\n%s\n[engine]\ncgroup_manager = "%s"\nevents_logger = "file"\nruntime = "%s"\n' \
        "$limits" "$manager" "$runtime")
      if works "$settings"; then
        printf '%s\n' "$settings"
        exit 0
      fi
    done
  done
done
tail -n 5 "$dir/log" >&2
fail 'podman starts no container here, whatever runtime, cgroup manager and limits it is given (see above)'
