#!/bin/sh
# Creates a minimal Debian file system as a tar file and prints its path:
#   sh scripts/debian-base.sh trixie|bookworm
# It is created once and cached in HAWSER_DEBIAN_CACHE (/var/cache/hawser-debian). Packages come from this machine's apt
# mirror, whatever its release, because a Debian mirror has all releases.
set -eu
release=${1:-}
cache=${HAWSER_DEBIAN_CACHE:-/var/cache/hawser-debian}

fail() {
  printf 'Cannot make a Debian "%s": %s\n' "$release" "$1" >&2
  exit 2
}

case $release in
trixie | bookworm) ;;
*) fail 'expected trixie or bookworm' ;;
esac
[ "$(id -u)" -eq 0 ] || fail 'debootstrap needs root'
mkdir -p "$cache"
# A change to this script invalidates the cache.
file=$cache/$release-$(sha256sum "$0" | cut -c 1-12).tar
exec 9>"$cache/lock"
flock 9
if [ -f "$file" ]; then
  printf '%s\n' "$file"
  exit 0
fi

if ! command -v debootstrap >/dev/null 2>&1 || [ ! -d /usr/share/keyrings ]; then
  command -v apt-get >/dev/null 2>&1 || fail 'debootstrap was not found, and there is no apt-get to install it'
  apt-get update -qq >&2
  DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends debootstrap debian-archive-keyring >&2 ||
    fail 'apt-get could not install debootstrap (see above)'
fi

# "CODENAME URI" of this machine's Debian sources: its own release, with and without a suffix for updates.
list() {
  apt-get indextargets --format '$(ORIGIN) $(COMPONENT) $(CODENAME) $(REPO_URI)' 'Created-By: Packages' |
    sed -n 's/^Debian main //p' | sort -u
}
sources=$(list)
if [ -z "$sources" ]; then
  apt-get update -qq >&2 || fail 'apt-get update failed (see above)'
  sources=$(list)
fi
own=$(. /etc/os-release && printf '%s' "${VERSION_CODENAME:-}")
uri() { printf '%s\n' "$sources" | sed -n "s/^$own$1 //p" | head -n 1; }
mirror=$(uri '')
[ -n "$mirror" ] || fail "apt on this machine knows no mirror of Debian; use an image that can be pulled, with BASE=…"

dir=$(mktemp -d)
trap 'rm -rf -- "$dir"' EXIT
trap 'exit 130' INT TERM
debootstrap --variant=minbase --include=ca-certificates "$release" "$dir/root" "$mirror" >"$dir/log" 2>&1 || {
  tail -n 5 "$dir/log" >&2
  fail 'debootstrap failed (see above)'
}
for suffix in '' -updates -security; do
  uri=$(uri "$suffix")
  [ -z "$uri" ] || printf 'deb %s %s%s main\n' "$uri" "$release" "$suffix"
done >"$dir/root/etc/apt/sources.list"
# Like the published slim image: no documentation or translations, now or in packages installed later.
cd "$dir/root"
for path in doc info lintian locale man; do
  printf 'path-exclude=/usr/share/%s/*\n' "$path"
done >etc/dpkg/dpkg.cfg.d/slim
printf 'path-include=/usr/share/doc/*/copyright\n' >>etc/dpkg/dpkg.cfg.d/slim
find usr/share/doc ! -type d ! -name copyright -delete
find usr/share/doc -type d -empty -delete
rm -rf usr/share/info/* usr/share/lintian/* usr/share/locale/* usr/share/man/* \
  var/lib/apt/lists/* var/cache/apt/* var/cache/ldconfig/aux-cache var/log/* dev/*
rm -f -- "$cache/$release"-*.tar
tar --sort=name --mtime=@0 --numeric-owner -cf "$file.new" .
mv -- "$file.new" "$file"
printf '%s\n' "$file"
