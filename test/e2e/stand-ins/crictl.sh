#!/bin/sh
# Plays crictl's part with podman, whose containers have the pod's name in front of their own:
#   crictl ps -q --name REGEX [--label …]; crictl exec [--sync] ID COMMAND…
set -eu
case "$1" in
ps)
  [ "$2 $3" = '-q --name' ]
  podman ps --format '{{.ID}} {{.Names}}' | while read -r id name; do
    if printf '%s\n' "${name#*-}" | grep -Eq "$4"; then echo "$id"; fi
  done
  ;;
exec)
  shift
  [ "$1" != --sync ] || shift
  exec podman exec "$@"
  ;;
*)
  echo "Cannot play \"crictl $*\": it is in no document, expected one of those that are" >&2
  exit 2
  ;;
esac
