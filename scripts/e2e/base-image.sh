#!/bin/sh
# Makes the file system of a small Debian 12 as a tar file, where no registry can be reached:
#   sh scripts/e2e/base-image.sh FILE
# The packages come from where apt on this machine takes its own.
set -eu
file=$1

fail() {
  printf 'Cannot make a base image: %s\n' "$1" >&2
  exit 2
}

# "URI SUITE COMPONENT" of every list of Debian 12 that apt uses here.
sources=$(apt-get indextargets --format '$(REPO_URI) $(RELEASE) $(COMPONENT)' 'Created-By: Packages' |
  sed -n '/ bookworm\(-updates\|-security\)\? main$/p' | sort -u)
mirror=$(printf '%s\n' "$sources" | sed -n 's/ bookworm main$//p' | head -n 1)
[ -n "$mirror" ] || fail "apt on this machine knows no mirror of Debian 12 (bookworm); build with BASE=… where one can be pulled"

dir=$(mktemp -d)
trap 'rm -rf -- "$dir"' EXIT
debootstrap --variant=minbase --include=ca-certificates bookworm "$dir/root" "$mirror" >"$dir/log" 2>&1 || {
  tail -n 5 "$dir/log" >&2
  fail 'debootstrap failed (see above)'
}
printf '%s\n' "$sources" | sed 's/^/deb /' >"$dir/root/etc/apt/sources.list"
# As the published slim image: nothing that only people read, now or in what is installed later.
cd "$dir/root"
for path in doc info lintian locale man; do
  printf 'path-exclude=/usr/share/%s/*\n' "$path"
done >etc/dpkg/dpkg.cfg.d/slim
rm -rf usr/share/doc/* usr/share/info/* usr/share/lintian/* usr/share/locale/* usr/share/man/* \
  var/lib/apt/lists/* var/cache/apt/* var/cache/ldconfig/aux-cache var/log/* dev/*
tar --sort=name --mtime=@0 --numeric-owner -cf "$file.new" .
mv -- "$file.new" "$file"
