#!/bin/sh
# Checks the alerts, runs their tests and checks the dashboard's expressions, using the distribution's promtool.
set -eu
cd -- "$(dirname -- "$0")/.."

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

promtool=$(sh scripts/packaged-programs.sh prometheus promtool)
"$promtool" check rules alerts/hawser.rules.yaml
"$promtool" test rules alerts/tests.yaml
# As recording rules, which promtool can check; JSON is valid YAML. Variables are replaced here, as Grafana would do.
node -e '
  const { panels } = JSON.parse(require("node:fs").readFileSync("dashboards/hawser.json", "utf8"));
  const targets = panels.flatMap((panel) => panel.targets ?? []);
  const rules = targets.map(({ expr }, index) => ({ record: `panel:${index}`, expr: expr.replace(/\$\w+/g, ".*") }));
  console.log(JSON.stringify({ groups: [{ name: "dashboard", rules }] }));
' >"$work/dashboard.yaml"
"$promtool" check rules "$work/dashboard.yaml"
