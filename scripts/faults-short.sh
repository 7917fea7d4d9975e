#!/bin/sh
# faults-short.sh: random faults with fixed seeds, for three minutes in total, as CI runs them. A seed with a violation is repeated
# once, because the nodes' state is never quite the same for a plan, and a machine may be busy without starving them.
set -eu
cd -- "$(dirname -- "$0")/.."
for seed in 11 12 13; do
  code=0
  node test/faults/main.ts --minutes 1 --seed "$seed" || code=$?
  [ "$code" -eq 0 ] && continue
  [ "$code" -eq 1 ] || exit "$code"
  echo "repeated once: seed $seed"
  [ -z "${HAWSER_REPEATS-}" ] || echo "test:faults:short: seed $seed" >>"$HAWSER_REPEATS"
  node test/faults/main.ts --minutes 1 --seed "$seed"
done
