#!/bin/sh
# Builds the image with a locally installed container tool: sh scripts/image.sh [NAME:TAG] [more arguments for the build]
# BASE=… uses another Debian 13 or 12 image than debian:trixie-slim. ENGINE=… uses another tool than the first working one of
# docker, podman and buildah. ARCH=amd64|arm64 builds for another architecture, whose programs have to run here (binfmt_misc
# with qemu-user-static). SNAPSHOT=20260918T000000Z uses Debian's packages of that time. The same sources on the same base
# and snapshot give the same layers: all times are SOURCE_DATE_EPOCH, by default the commit's. The SBOM (SPDX) is in the
# image at /opt/hawser/sbom.spdx.json, and is copied to dist/sbom-ARCH.spdx.json.
set -eu
cd -- "$(dirname -- "$0")/.."

fail() {
  printf 'Cannot build the image: %s\n' "$1" >&2
  exit 2
}

version=$(sed -n 's/^  "version": "\(.*\)",$/\1/p' package.json)
tag=${1:-hawser:$version}
[ $# -eq 0 ] || shift

# docker without its daemon cannot build.
works() { command -v "$1" >/dev/null 2>&1 && { [ "$1" != docker ] || docker info >/dev/null 2>&1; }; }
engine=${ENGINE:-}
for each in docker podman buildah; do
  [ -n "$engine" ] || ! works "$each" || engine=$each
done
[ -n "$engine" ] || fail 'no docker (with its daemon), podman or buildah works here; install one, or name another with ENGINE=…'

kind_of() {
  case $1 in
  amd64 | x86_64) echo amd64 ;;
  arm64 | aarch64) echo arm64 ;;
  *) fail "there is no Node for \"$1\", expected amd64 or arm64" ;;
  esac
}
here=$(kind_of "$(uname -m)")
arch=$(kind_of "${ARCH:-$here}")
[ "$arch" = amd64 ] && cpu=x64 || cpu=$arch

dir=$(mktemp -d)
trap 'rm -rf -- "$dir"' EXIT
context=.
if [ "$arch" != "$here" ]; then
  # The same packages, pinned by package-lock.json, with that architecture's programs.
  context=$dir/context
  mkdir "$context"
  cp -R .dockerignore Dockerfile LICENSE bin manifests package.json package-lock.json scripts src templates "$context"
  (cd "$context" && npm ci --ignore-scripts --os=linux "--cpu=$cpu" --no-fund --no-audit --loglevel=error) ||
    fail "npm ci failed for $arch (see above)"
  set -- --platform "linux/$arch" "$@"
elif [ ! -x "node_modules/node-linux-$cpu/bin/node" ]; then
  # A fresh clone. The build needs none of the Debian packages that scripts/setup.sh installs.
  npm ci --no-fund --no-audit --loglevel=error ||
    fail 'npm ci failed (see above), expected npm and a registry that can be reached'
fi
[ -x "$context/node_modules/node-linux-$cpu/bin/node" ] || fail "npm has no node for $arch"

revision=$(git rev-parse HEAD 2>/dev/null || echo unknown)
epoch=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct 2>/dev/null || echo 0)}
# A password in the remote's URL must not get into the image.
source=${SOURCE:-$(git remote get-url origin 2>/dev/null | sed 's#//[^/]*@#//#')}
set -- --build-arg "VERSION=$version" --build-arg "REVISION=$revision" --build-arg "SOURCE=${source:-unknown}" \
  --build-arg "TARGETARCH=$arch" --tag "$tag" "$@" "$context"
[ -z "${BASE:-}" ] || set -- --build-arg "BASE=$BASE" "$@"
[ -z "${SNAPSHOT:-}" ] || set -- --build-arg "SNAPSHOT=$SNAPSHOT" "$@"
set -- --build-arg "SOURCE_DATE_EPOCH=$epoch" "$@"

case $("$engine" --version) in
podman*) kind=podman ;;
buildah*) kind=buildah ;;
*) kind=docker ;;
esac
if [ "$kind" != docker ]; then
  # Only the docker format has HEALTHCHECK. Uses the host's network, because a bridge needs more packages than the build.
  set -- --format docker --layers --timestamp "$epoch" --network host "$@"
  if [ -z "${CONTAINERS_CONF:-}" ] && [ "$(id -u)" -eq 0 ]; then
    settings=$dir/containers.conf
    sh scripts/container-settings.sh >"$settings" || fail 'containers cannot be started (see above)'
    [ ! -s "$settings" ] || export CONTAINERS_CONF="$settings"
  fi
fi
"$engine" build "$@"

# Creates a container, without running it, to copy a file out of it.
sbom=dist/sbom-$arch.spdx.json
mkdir -p dist
if [ "$kind" = buildah ]; then
  container=$("$engine" from --pull-never "$tag")
  cp -- "$("$engine" mount "$container")/opt/hawser/sbom.spdx.json" "$sbom"
else
  container=$("$engine" create "$tag")
  "$engine" cp "$container:/opt/hawser/sbom.spdx.json" "$sbom"
fi
"$engine" rm "$container" >/dev/null

# Prints what a node has to pull, layer by layer.
if [ "$kind" = buildah ]; then
  "$engine" images --noheading --format '{{.Name}}:{{.Tag}} {{.Size}}' "$tag"
  "$engine" inspect --type image --format '{{range .OCIv1.RootFS.DiffIDs}}{{println .}}{{end}}' "$tag"
else
  "$engine" history --no-trunc --format '{{.Size}} {{.CreatedBy}}' "$tag" | sed -n '/^0 \{0,1\}B /!{s/^\(.\{90\}\).*/\1…/;p;}'
  "$engine" image inspect --format "$tag {{.Size}} bytes{{println}}{{range .RootFS.Layers}}{{println .}}{{end}}" "$tag"
fi
