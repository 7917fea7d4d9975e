import type { SettingsOf } from '../cli/command-spec.ts';
import { printAs } from '../cli/run-command.ts';
import { versionCommand } from '../cli/version-settings.ts';
import { runCommand } from '../engine/system/process/run-command.ts';
import { hawserCommit, hawserVersion } from '../engine/system/version.ts';
import { parseHaproxyBuild } from '../haproxy/build.ts';
import { parseKeepalivedBuild } from '../keepalived/build.ts';

const TIMEOUT_MS = 5_000;
/** The real clusters that ran hawser with its unmodified image (docs/support.md). */
export const clusters: readonly string[] = [
  'Kubernetes 1.34.9, containerd 1.7.24, Debian 13, three control-plane nodes (2026-11-26, commit 2174d679)',
  'Kubernetes 1.26, containerd 1.6, Debian 12, one node (2026-11-22, commit 6d60be9)',
];

/** The versions of the installed programs; null if one could not be run. */
interface VersionReport {
  readonly hawser: string;
  readonly commit: string | null;
  readonly haproxy: string | null;
  readonly keepalived: string | null;
  readonly node: string;
  readonly clusters: readonly string[];
}

export const spec = versionCommand;

export async function run({ json }: SettingsOf<typeof spec>): Promise<number> {
  const report = await versionReport();
  await printAs(json, report, () => linesOf(report));
  return 0;
}

async function versionReport(): Promise<VersionReport> {
  const outputs = [outputOf(['haproxy', '-vv']), outputOf(['keepalived', '--version'])] as const;
  const [haproxy, keepalived] = await Promise.all(outputs);
  return {
    hawser: hawserVersion(),
    commit: hawserCommit(),
    haproxy: parseHaproxyBuild(haproxy)?.version ?? null,
    keepalived: parseKeepalivedBuild(keepalived)?.version ?? null,
    node: process.versions.node,
    clusters,
  };
}

async function outputOf(argv: readonly [string, ...string[]]): Promise<string> {
  const outcome = await runCommand(argv, { timeoutMs: TIMEOUT_MS }).catch(() => undefined);
  return outcome === undefined ? '' : outcome.stdout + outcome.stderr;
}

function linesOf({ hawser, commit, clusters: ranOn, ...programs }: VersionReport): readonly string[] {
  return [
    `hawser ${hawser}${commit === null ? '' : ` (${commit.slice(0, 12)})`}`,
    ...Object.entries(programs).map(([name, version]) => `${name} ${version ?? 'not found'}`),
    ...ranOn.map((cluster) => `ran on ${cluster}`),
  ];
}
