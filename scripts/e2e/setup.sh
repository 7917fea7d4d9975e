#!/bin/sh
# Installs what npm run test:e2e needs beyond scripts/setup.sh: a container engine and the tools that make a base image.
set -eu
cd -- "$(dirname -- "$0")/../.."
sh scripts/setup.sh

missing=
need() { command -v "$1" >/dev/null 2>&1 || missing="$missing $2"; }
PATH=$PATH:/usr/sbin:/sbin
need podman podman
need buildah buildah
need runc runc
need conmon conmon
need debootstrap debootstrap
need kubectl kubernetes-client
# catatonit holds a pod's namespaces. podman looks for it in its own folders.
[ -x /usr/libexec/podman/catatonit ] || [ -x /usr/bin/catatonit ] || missing="$missing catatonit"
[ -n "$missing" ] || exit 0

echo "setup: installing Debian packages:$missing"
apt-get update -qq
DEBIAN_FRONTEND=noninteractive RUNLEVEL=1 apt-get install -y -qq --no-install-recommends $missing >/dev/null || {
  echo "Cannot set the e2e tests up: apt-get could not install$missing (see above)" >&2
  exit 2
}
