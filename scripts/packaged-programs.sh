#!/bin/sh
# Prints the paths of a Debian package's programs, one per line, and fetches missing ones. The package is not installed,
# because it would start its services. Instead, the programs are extracted and cached.
#   sh scripts/packaged-programs.sh PACKAGE PROGRAM…
set -eu

package=$1
shift
fail() {
  printf 'Cannot get %s: %s\n' "$package" "$1" >&2
  exit 2
}

kept=${XDG_CACHE_HOME:-/var/cache}/hawser-$package
PATH=$PATH:$kept
missing=
for program in "$@"; do
  command -v "$program" >/dev/null 2>&1 || missing="$missing $program"
done
if [ -n "$missing" ]; then
  command -v apt-get >/dev/null 2>&1 || fail 'it was not found and there is no apt-get here; install it and type the command again'
  echo "getting$missing" >&2
  work=$(mktemp -d)
  trap 'rm -rf "$work"' EXIT
  download="apt-get download -qq -o APT::Sandbox::User=root $package"
  mkdir -p "$kept" "$work/root"
  (cd "$work" && { $download || { apt-get update -qq && $download; }; } >&2) || fail 'apt-get could not get the package (see above)'
  for program in $missing; do
    dpkg-deb --fsys-tarfile "$work/${package}"_*.deb | tar -x -C "$work/root" "./usr/bin/$program" || fail "$program is not in the package"
    mv "$work/root/usr/bin/$program" "$kept/$program"
  done
fi
for program in "$@"; do command -v "$program"; done
