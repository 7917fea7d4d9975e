#!/bin/sh
# Says where one program of the distribution's package prometheus is ("promtool" or "prometheus"), and gets it where it is missing.
set -eu

program=$1
fail() {
  printf 'Cannot get %s: %s\n' "$program" "$1" >&2
  exit 2
}

# The package brings the whole of Prometheus and starts it: only the one program is taken out of it.
kept=${XDG_CACHE_HOME:-/var/cache}/hawser-prometheus
PATH=$PATH:$kept
if ! command -v "$program" >/dev/null 2>&1; then
  command -v apt-get >/dev/null 2>&1 || fail 'it was not found and there is no apt-get here; install it and type the command again'
  echo "getting $program" >&2
  work=$(mktemp -d)
  trap 'rm -rf "$work"' EXIT
  download="apt-get download -qq -o APT::Sandbox::User=root prometheus"
  mkdir -p "$kept" "$work/root"
  (cd "$work" && { $download || { apt-get update -qq && $download; }; } >&2) ||
    fail 'apt-get could not get the package prometheus (see above)'
  dpkg-deb --fsys-tarfile "$work"/prometheus_*.deb | tar -x -C "$work/root" "./usr/bin/$program" || fail 'it is not in the package prometheus'
  mv "$work/root/usr/bin/$program" "$kept/$program"
fi
command -v "$program"
