#!/bin/sh
# Builds the image with the container tool that is here: sh scripts/image.sh [NAME:TAG] [more arguments for the build]
# BASE=… takes another Debian 12 image than debian:bookworm-slim, ENGINE=… another tool than docker or podman.
set -eu
cd -- "$(dirname -- "$0")/.."

fail() {
  printf 'Cannot build the image: %s\n' "$1" >&2
  exit 2
}

version=$(sed -n 's/^  "version": "\(.*\)",$/\1/p' package.json)
tag=${1:-hawser:$version}
[ $# -eq 0 ] || shift

engine=${ENGINE:-}
for each in docker podman; do
  [ -n "$engine" ] || ! command -v "$each" >/dev/null 2>&1 || engine=$each
done
[ -n "$engine" ] || fail 'neither docker nor podman was found; install one, or name another with ENGINE=…'

case $(uname -m) in aarch64) arch=arm64 ;; *) arch=x64 ;; esac
[ -x "node_modules/node-linux-$arch/bin/node" ] || fail 'node_modules is missing or of another kind of machine; type: npm ci'

revision=$(git rev-parse HEAD 2>/dev/null || echo unknown)
set -- --build-arg "VERSION=$version" --build-arg "REVISION=$revision" --tag "$tag" "$@" .
[ -z "${BASE:-}" ] || set -- --build-arg "BASE=$BASE" "$@"
exec "$engine" build "$@"
