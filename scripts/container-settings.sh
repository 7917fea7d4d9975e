#!/bin/sh
# Prints the lines of a containers.conf with which podman and buildah can start containers on this machine, none where
# their defaults do: sh scripts/container-settings.sh. What is to be set is tried, not guessed: hard limits that
# cannot be raised, a hybrid cgroup layout, or no systemd make one or the other setting fail, and machines differ.
# Everything tried happens in a folder of its own: nothing of the caller's podman is touched.
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

# The pause container comes with podman: starting it takes every setting, and no image.
works() {
  # Locks in files: those in shared memory are one segment for every podman of a machine.
  printf '%s\nlock_type = "file"\n' "$1" >"$CONTAINERS_CONF"
  started=no
  if try pod create --network host --name probe --pod-id-file "$dir/id" && try pod start probe; then started=yes; fi
  try pod rm --force --time 0 probe || :
  # podman forgets some of them where cgroups of both versions are mounted.
  [ ! -s "$dir/id" ] || rmdir /sys/fs/cgroup/*/libpod_parent/"$(cat "$dir/id")" 2>/dev/null || :
  rm -f -- "$dir/id"
  [ "$started" = yes ]
}

# podman holds itself to as many processes as there are pids.
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
