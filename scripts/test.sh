#!/bin/sh
# npm test: the unit tests, and the contract tests if run as root. Arguments are passed to vitest.
set -eu
cd -- "$(dirname -- "$0")/.."
if [ "$(id -u)" -eq 0 ]; then
  sh scripts/setup.sh
  exec sh scripts/hide-installed.sh vitest run --project unit --project contract "$@"
fi
HAWSER_SETUP_FOR=unit sh scripts/setup.sh
echo 'npm test: only the unit tests: the contract tests make network namespaces, which needs root (sudo npm test)'
exec vitest run --project unit "$@"
