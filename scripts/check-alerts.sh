#!/bin/sh
# Checks the alerts, runs their tests and checks the dashboard's expressions, with the distribution's promtool.
set -eu
cd -- "$(dirname -- "$0")/.."

fail() {
  printf 'Cannot check the alerts: %s\n' "$1" >&2
  exit 2
}

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Its package brings the whole of Prometheus and starts it: only the one program is taken out of it.
kept=${XDG_CACHE_HOME:-/var/cache}/hawser-promtool
PATH=$PATH:$kept
if ! command -v promtool >/dev/null 2>&1; then
  command -v apt-get >/dev/null 2>&1 || fail 'promtool was not found and there is no apt-get here; install it and type the command again'
  echo "getting promtool"
  download="apt-get download -qq -o APT::Sandbox::User=root prometheus"
  mkdir -p "$kept" "$work/root"
  (cd "$work" && { $download || { apt-get update -qq && $download; }; }) ||
    fail 'apt-get could not get the package prometheus (see above)'
  dpkg-deb --fsys-tarfile "$work"/prometheus_*.deb | tar -x -C "$work/root" ./usr/bin/promtool || fail 'there is no promtool in the package prometheus'
  mv "$work/root/usr/bin/promtool" "$kept/promtool"
fi
promtool check rules alerts/hawser.rules.yaml
promtool test rules alerts/tests.yaml
# As recording rules, which is what promtool can check; JSON is YAML. Grafana would have put the variables in.
node -e '
  const { panels } = JSON.parse(require("node:fs").readFileSync("dashboards/hawser.json", "utf8"));
  const targets = panels.flatMap((panel) => panel.targets ?? []);
  const rules = targets.map(({ expr }, index) => ({ record: `panel:${index}`, expr: expr.replace(/\$\w+/g, ".*") }));
  console.log(JSON.stringify({ groups: [{ name: "dashboard", rules }] }));
' >"$work/dashboard.yaml"
promtool check rules "$work/dashboard.yaml"
