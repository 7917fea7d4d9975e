#!/bin/sh
# An OCI hook, run once a container has its cgroup and before its first process. A kubelet's containers weigh as much as
# what runs next to them, and one with SYS_NICE may use real time. podman's all together weigh as much as one process
# outside where cgroups of version 1 are mounted, and have no real time where those divide it.
set -eu
export PATH=/usr/sbin:/usr/bin:/sbin:/bin
state=$(cat)
member() { printf '%s' "$state" | sed -n "s/.*\"$1\":\"\{0,1\}\([^,\"}]*\).*/\1/p"; }
# What a machine refuses is for the tests to tell, not for every container to fail on.
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
# A tenth of a second in each second; four nodes' together are less than half of what there is.
if grep -q CAP_SYS_NICE "$(member bundle)/config.json"; then
  set_value "$parent/cpu.rt_runtime_us" 800000
  set_value "$pod/cpu.rt_runtime_us" 100000
  set_value "$container/cpu.rt_runtime_us" 100000
fi
