#!/bin/sh
# Builds the image with the container tool that is here: sh scripts/image.sh [NAME:TAG] [more arguments for the build]
# BASE=… takes another Debian 12 image than debian:bookworm-slim, ENGINE=… another tool than the first of docker, podman
# and buildah that works. The same sources on the same base give the same layers: all times are SOURCE_DATE_EPOCH, by
# default that of the commit.
set -eu
cd -- "$(dirname -- "$0")/.."

fail() {
  printf 'Cannot build the image: %s\n' "$1" >&2
  exit 2
}

version=$(sed -n 's/^  "version": "\(.*\)",$/\1/p' package.json)
tag=${1:-hawser:$version}
[ $# -eq 0 ] || shift

# A docker without its daemon builds nothing.
works() { command -v "$1" >/dev/null 2>&1 && { [ "$1" != docker ] || docker info >/dev/null 2>&1; }; }
engine=${ENGINE:-}
for each in docker podman buildah; do
  [ -n "$engine" ] || ! works "$each" || engine=$each
done
[ -n "$engine" ] || fail 'no docker (with its daemon), podman or buildah works here; install one, or name another with ENGINE=…'

case $(uname -m) in aarch64) arch=arm64 ;; *) arch=x64 ;; esac
# On a fresh clone. The build needs none of the Debian packages that scripts/setup.sh installs.
[ -x "node_modules/node-linux-$arch/bin/node" ] || npm ci --no-fund --no-audit --loglevel=error ||
  fail 'npm ci failed (see above), expected npm and a registry that can be reached'
[ -x "node_modules/node-linux-$arch/bin/node" ] || fail "npm has no node for $(uname -m), expected x64 or arm64"

revision=$(git rev-parse HEAD 2>/dev/null || echo unknown)
epoch=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct 2>/dev/null || echo 0)}
set -- --build-arg "VERSION=$version" --build-arg "REVISION=$revision" --tag "$tag" "$@" .
[ -z "${BASE:-}" ] || set -- --build-arg "BASE=$BASE" "$@"
set -- --build-arg "SOURCE_DATE_EPOCH=$epoch" "$@"

case $("$engine" --version) in
podman*) kind=podman ;;
buildah*) kind=buildah ;;
*) kind=docker ;;
esac
if [ "$kind" != docker ]; then
  # Only this format has HEALTHCHECK. The host's network, because a bridge needs more packages than the build.
  set -- --format docker --layers --timestamp "$epoch" --network host "$@"
  if [ -z "${CONTAINERS_CONF:-}" ] && [ "$(id -u)" -eq 0 ]; then
    settings=$(mktemp)
    trap 'rm -f -- "$settings"' EXIT
    sh scripts/container-settings.sh >"$settings" || fail 'containers cannot be started (see above)'
    [ ! -s "$settings" ] || export CONTAINERS_CONF="$settings"
  fi
fi
"$engine" build "$@"

# What a node has to pull, layer by layer.
if [ "$kind" = buildah ]; then
  "$engine" images --noheading --format '{{.Name}}:{{.Tag}} {{.Size}}' "$tag"
  "$engine" inspect --type image --format '{{range .OCIv1.RootFS.DiffIDs}}{{println .}}{{end}}' "$tag"
else
  "$engine" history --no-trunc --format '{{.Size}} {{.CreatedBy}}' "$tag" | sed -n '/^0 \{0,1\}B /!{s/^\(.\{90\}\).*/\1…/;p;}'
  "$engine" image inspect --format "$tag {{.Size}} bytes{{println}}{{range .RootFS.Layers}}{{println .}}{{end}}" "$tag"
fi
