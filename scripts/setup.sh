#!/bin/sh
# Installs missing Debian and npm packages and builds dist/. Announces each action before it starts, and prints nothing if
# there is nothing to do.
# Arguments: optional Debian packages whose program has the package's name.
# HAWSER_SETUP_FOR=unit: only what unit tests need, which is neither Debian packages nor root.
set -eu
cd -- "$(dirname -- "$0")/.."

fail() {
  printf 'Cannot set hawser up: %s\n' "$1" >&2
  exit 2
}

[ "$(uname -s)" = Linux ] || fail "this is $(uname -s), expected Linux: haproxy's master mode, network namespaces and nftables are used"
major=$(node -p 'process.versions.node.split(".")[0]' 2>/dev/null) || fail 'node was not found, expected Node 20 or newer (https://nodejs.org)'
[ "$major" -ge 20 ] || fail "node is $(node --version), expected v20 or newer"
command -v npm >/dev/null 2>&1 || fail 'npm was not found, expected the one that comes with node'

missing=
need() { command -v "$1" >/dev/null 2>&1 || missing="$missing $2"; }
PATH=$PATH:/usr/sbin:/sbin
need haproxy haproxy
need keepalived keepalived
need nft nftables
need ip iproute2
need openssl openssl
need curl curl
need socat socat
need mount util-linux
need unshare util-linux
need chrt util-linux
# Needed only by tests; each program is in a package of the same name.
for program in "$@"; do need "$program" "$program"; done

[ "${HAWSER_SETUP_FOR:-}" != unit ] || missing=
if [ -n "$missing" ]; then
  command -v apt-get >/dev/null 2>&1 || fail "missing:$missing, and there is no apt-get here; install them and type the command again"
  [ "$(id -u)" -eq 0 ] || fail "missing:$missing; type: sudo apt-get update && sudo apt-get install --no-install-recommends$missing"
  echo "setup: installing Debian packages:$missing"
  apt-get update -qq || fail 'apt-get update failed (see above), expected the package lists'
  # With an init system, the packages would start daemons of their own. hawser starts its own.
  DEBIAN_FRONTEND=noninteractive RUNLEVEL=1 apt-get install -y -qq --no-install-recommends $missing >/dev/null ||
    fail "apt-get could not install$missing (see above)"
fi
[ "${HAWSER_SETUP_FOR:-}" = unit ] || [ "$(id -u)" -eq 0 ] || fail 'not root, expected root: network namespaces and nftables need it; type: sudo npm run demo, or sudo npm test'

# node_modules is current if it was installed from this lock file.
stamp=node_modules/.hawser-lock
if ! cmp -s package-lock.json "$stamp"; then
  echo 'setup: installing the npm packages of package-lock.json into node_modules'
  npm ci --no-fund --no-audit --loglevel=error || fail 'npm ci failed (see above), expected a registry that can be reached; then type the command again'
  cp package-lock.json "$stamp"
fi
# The pinned Node runs TypeScript directly. It exists only for x64 and arm64.
[ -x node_modules/.bin/node ] || [ "$major" -ge 24 ] || fail "there is no pinned node for $(uname -m) and node is $(node --version), expected v24 or newer"

if [ ! -f dist/hawser.mjs ] || [ -n "$(find src scripts/build.ts package-lock.json -newer dist/hawser.mjs -print -quit)" ]; then
  echo 'setup: building dist'
  PATH=$PWD/node_modules/.bin:$PATH node scripts/build.ts || fail 'the build failed (see above)'
fi
