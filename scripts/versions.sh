#!/bin/sh
# Runs tests with the HAProxy, keepalived and nftables of another Debian release: 12 on Debian 13, 13 elsewhere.
#   sh scripts/versions.sh [trixie|bookworm [COMMAND…]]
# The other Debian is created once by debootstrap and cached (scripts/debian-base.sh). Programs in it see this checkout, and
# their writes elsewhere stay in memory. It has its own processes, mounts and network, which the kernel removes however the
# run ends.
set -eu
cd -- "$(dirname -- "$0")/.."
checkout=$PWD

# Runs as process 1 of the new namespaces: mounts everything, then runs the command.
if [ "${1:-}" = --inside ]; then
  root=$2
  shift 2
  mount -t tmpfs -o mode=755 tmpfs /mnt
  mkdir /mnt/changes /mnt/work /mnt/root
  mount -t overlay -o "lowerdir=$root,upperdir=/mnt/changes,workdir=/mnt/work" overlay /mnt/root
  mkdir -p "/mnt/root$checkout"
  mount --rbind "$checkout" "/mnt/root$checkout"
  mount -t proc proc /mnt/root/proc
  mount -t sysfs sysfs /mnt/root/sys
  mount --rbind /sys/fs/cgroup /mnt/root/sys/fs/cgroup
  mount --rbind /dev /mnt/root/dev
  ip link set lo up
  # No exec: a process 1 that does not reap orphans leaves zombies, which keepalived would mistake for a running keepalived.
  chroot /mnt/root sh -c 'cd "$1" && shift && exec "$@"' sh "$checkout" "$@"
  exit
fi

if [ $# -gt 0 ]; then
  release=$1
  shift
elif grep -q '^VERSION_CODENAME=trixie' /etc/os-release; then
  release=bookworm
else
  release=trixie
fi
[ $# -gt 0 ] || set -- vitest run test/golden/haproxy.test.ts test/golden/keepalived.test.ts \
  test/contract/engine/system/text/program-version.test.ts test/unit/operate/doctor/programs.test.ts \
  test/contract/haproxy test/contract/keepalived test/contract/vip/render test/contract/engine/config \
  test/integration/haproxy test/integration/keepalived test/integration/router/serve/serving.test.ts

packages='curl haproxy iproute2 keepalived kmod nftables openssl procps socat util-linux-extra'
base=$(sh scripts/debian-base.sh "$release")
root=${base%.tar}-$(printf '%s' "$packages" | sha256sum | cut -c 1-12)
exec 9>"$root.lock"
flock 9
if [ ! -d "$root" ]; then
  echo "installing on $release: $packages"
  rm -rf -- "$root.new"
  mkdir "$root.new"
  tar -xf "$base" -C "$root.new"
  # shellcheck disable=SC2016
  unshare --mount --propagation private sh -euc '
    mount --rbind /dev "$1/dev"
    mount -t proc proc "$1/proc"
    cp /etc/resolv.conf "$1/etc/resolv.conf"
    export DEBIAN_FRONTEND=noninteractive RUNLEVEL=1
    chroot "$1" apt-get update -qq
    chroot "$1" apt-get install -y -qq --no-install-recommends $2
    chroot "$1" apt-get clean' sh "$root.new" "$packages" >"$root.log" 2>&1 || {
    tail -n 5 "$root.log" >&2
    printf 'Cannot run tests on "%s": apt-get could not install %s (see above)\n' "$release" "$packages" >&2
    exit 2
  }
  mv -- "$root.new" "$root"
fi
exec 9>&-

export PATH="$checkout/node_modules/.bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
unshare --mount --pid --net --uts --ipc --fork --kill-child --propagation private \
  sh scripts/versions.sh --inside "$root" "$@" &
child=$!
# Killing it kills everything inside.
trap 'kill -KILL "$child" 2>/dev/null; exit 130' INT TERM HUP
status=0
wait "$child" || status=$?
exit "$status"
