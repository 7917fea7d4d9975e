#!/bin/sh
# hide-installed.sh CMD...: runs CMD where no hawser that is installed on this machine can be seen, because tests must
# depend on nothing but the checkout. What is hidden is hidden from CMD alone: it gets a mount namespace of its own, and a
# folder of its own for the names of network namespaces, which are mounts and go with it however it ends. Of the HAWSER_*
# variables CMD gets the file that counts repeats, and no setting of hawser.
set -eu
for name in $(env | sed -n 's/^\(HAWSER_[A-Z_]*\)=.*/\1/p'); do
  [ "$name" = HAWSER_REPEATS ] || unset "$name"
done
exec unshare --mount sh -eu -c '
  mkdir -p /run/netns
  for dir in /run/netns /etc/hawser /etc/kubernetes /var/log/hawser; do
    [ ! -d "$dir" ] || mount -t tmpfs -o mode=755 hidden "$dir"
  done
  exec "$@"
' sh "$@"
