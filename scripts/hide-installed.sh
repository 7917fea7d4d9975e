#!/bin/sh
# hide-installed.sh CMD...: hides an installed hawser from CMD, because tests must depend only on the checkout. CMD gets its
# own mount namespace, so nothing is hidden from other programs. It also gets its own folder for the names of network
# namespaces; these are mounts and disappear with CMD however it ends. Of the HAWSER_* variables, CMD gets only the file
# that counts repeats, and no settings of hawser.
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
