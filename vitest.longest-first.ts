import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** The slowest files, which start first, in this order. A slow file that starts last would run alone at the end. */
const longest: readonly string[] = [
  'e2e/one-node',
  'e2e/three-nodes',
  'e2e/upgrade',
  'e2e/walkthrough',
  'vrrp/removed',
  'vrrp/move-vip',
  'segment/virtual-router-id',
  'monitor/monitor',
  'monitor/redirect',
  'keepalived/monitor',
  'haproxy/hang',
  'keepalived/broken-program',
  'doctor/adverts',
  'install/install',
  'install/refusals',
  'install/uninstall',
  'keepalived/hang',
  'doctor/foreign-router',
  'haproxy/stop',
  'monitor/servers',
  'haproxy/drain',
  'monitor/faulty-api',
  'kube/faults',
  'network/watch-liveness',
  'haproxy/suspect',
  'haproxy/refused',
];

/** Runs the slowest files first, then the rest in vitest's order, which on a fresh clone knows sizes but no durations. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification): number => {
      const found = longest.findIndex((name) => moduleId.endsWith(`/${name}.test.ts`));
      return found < 0 ? longest.length : found;
    };
    const sorted = await super.sort(files);
    return sorted.toSorted(
      (a, b) =>
        a.project.config.sequence.groupOrder - b.project.config.sequence.groupOrder || rank(a) - rank(b),
    );
  }
}
