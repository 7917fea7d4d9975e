#!/bin/sh
# Stands in for the parts of ctr that get the image and the hawser command onto a node, with podman. It lists no
# container and no image, so that the hawser script goes on to podman.
set -eu

case "$*" in
"-n k8s.io images import "*) exec podman load --quiet --input "$5" ;;
"-n k8s.io run --rm "*" hawser-script cat "*) exec podman run --rm --net=none --entrypoint cat "$5" "$8" ;;
"-n k8s.io tasks ls" | "-n k8s.io containers ls "* | "-n k8s.io images ls "*) ;;
*)
  echo "Cannot play \"ctr $*\": no document mentions it" >&2
  exit 2
  ;;
esac
