#!/bin/sh
# Stands in for crictl with podman, whose container names begin with the pod's name:
#   crictl ps -q --name REGEX [--label …]; crictl exec [--sync] [-i -t] ID COMMAND…
# As in crictl 1.24 and newer, exec exits with 1 for every failure, and with --sync drops the output of a command that fails.
set -eu

refuse() {
  printf 'time="2026-01-01T00:00:00Z" level=error msg="execing command in container %s"\n' "$*" >&2
  exit 1
}

case "$1" in
ps)
  [ "$2 $3" = '-q --name' ]
  podman ps --format '{{.ID}} {{.Names}}' | while read -r id name; do
    if printf '%s\n' "${name#*-}" | grep -Eq "$4"; then echo "$id"; fi
  done
  ;;
exec)
  shift
  code=0
  if [ "$1" = --sync ]; then
    shift
    output=$(podman exec "$@") || code=$?
    [ "$code" -eq 0 ] || refuse "synchronously: command exited with $code: "
    printf '%s\n\n' "$output"
  else
    podman exec "$@" || code=$?
    [ "$code" -eq 0 ] || refuse "$1: command terminated with exit code $code"
  fi
  ;;
*)
  echo "Cannot play \"crictl $*\": no document mentions it" >&2
  exit 2
  ;;
esac
