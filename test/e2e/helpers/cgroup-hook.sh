#!/bin/sh
# An OCI hook that runs once a container has its cgroup, before its first process. Under a kubelet, containers weigh
# as much as the processes next to them, and one with SYS_NICE may use real-time scheduling. With cgroups v1, podman's
# containers together weigh as much as one process outside, and get no real-time share if cgroups divide real time.
set -eu
export PATH=/usr/sbin:/usr/bin:/sbin:/bin
state=$(cat)
member() { printf '%s' "$state" | sed -n "s/.*\"$1\":\"\{0,1\}\([^,\"}]*\).*/\1/p"; }
# If the machine refuses a value, that is for the tests to report, not for every container to fail on.
set_value() { [ ! -e "$1" ] || { echo "$2" >"$1"; } 2>/dev/null || :; }

cpu=$(sed -n 's/^[0-9]*:cpu\(,cpuacct\)\{0,1\}://p' "/proc/$(member pid)/cgroup")
if [ -z "$cpu" ]; then
  set_value /sys/fs/cgroup/libpod_parent/cpu.weight 1600
  exit 0
fi
root=/sys/fs/cgroup/cpu
container=$root$cpu
pod=${container%/*}
parent=$root/libpod_parent
[ "${pod%/*}" = "$parent" ] || exit 0
set_value "$parent/cpu.shares" 16384
# A tenth of each second: four nodes together take less than half of what there is.
if grep -q CAP_SYS_NICE "$(member bundle)/config.json"; then
  set_value "$parent/cpu.rt_runtime_us" 800000
  set_value "$pod/cpu.rt_runtime_us" 100000
  set_value "$container/cpu.rt_runtime_us" 100000
fi
