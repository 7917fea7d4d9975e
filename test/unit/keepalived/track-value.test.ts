import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { silentTrackValue } from '../../../src/keepalived/stand-in.ts';
import {
  localApiAfterMs,
  pointsOf,
  TRACK,
  type TrackHealth,
  trackAddends,
} from '../../../src/keepalived/track-value.ts';
import { prioritySpread, vrrpPriority } from '../../../src/vip/group/vrrp-priority.ts';

const healthy: TrackHealth = {
  kind: 'api',
  service: 'ok',
  failedForMs: 0,
  localApiServes: true,
  holder: false,
  everyoneFailing: false,
  order: 'none',
  priority: 220,
};
const value = (part: Partial<TrackHealth>) => pointsOf(trackAddends({ ...healthy, ...part }));

describe('without an order', () => {
  test('the holder of a healthy pair has a higher priority', () => {
    expect(value({})).toBe(0);
    expect(value({ holder: true })).toBe(30);
  });

  test('a node without a load balancer is in FAULT at once, holder or not', () => {
    expect(value({ service: 'failed' })).toBe(-254);
    expect(value({ service: 'failed', holder: true })).toBe(-254);
  });

  test('after a while without a load balancer only the local API server prevents FAULT', () => {
    const long = { service: 'failed', failedForMs: localApiAfterMs } as const;
    expect(value(long)).toBe(TRACK.degraded);
    expect(value({ ...long, holder: true })).toBe(TRACK.degradedHolder);
    expect(value({ ...long, localApiServes: false })).toBe(TRACK.fault);
    expect(value({ ...long, failedForMs: localApiAfterMs - 1 })).toBe(TRACK.fault);
  });

  test('if every node is failing, priorities are unchanged, so that the holder stays', () => {
    const hopeless = { service: 'failed', localApiServes: false, everyoneFailing: true } as const;
    expect(value(hopeless)).toBe(TRACK.healthy);
    expect(value({ ...hopeless, holder: true })).toBe(TRACK.healthyHolder);
  });

  test('before the first check a node is in FAULT, even if every node is failing', () => {
    expect(value({ service: 'unknown', everyoneFailing: true })).toBe(TRACK.fault);
  });
});

describe('with an order', () => {
  test('a drained node ranks below a doubtful one, and above one without a load balancer', () => {
    expect(value({ order: 'drain' })).toBe(TRACK.drained);
    expect(value({ order: 'drain', holder: true })).toBe(TRACK.drainedHolder);
    expect(value({ order: 'drain', service: 'doubtful', holder: true })).toBe(TRACK.drainedHolder);
    expect(value({ order: 'drain', service: 'failed' })).toBe(TRACK.fault);
    expect(value({ order: 'drain', service: 'failed', failedForMs: 9_999 })).toBe(TRACK.degraded);
    const last = 220 + TRACK.doubtful - prioritySpread;
    expect(220 + TRACK.drainedHolder).toBeLessThan(last);
    expect(220 + TRACK.degradedHolder).toBeLessThan(220 - prioritySpread + TRACK.drained);
  });

  test('a healthy holder that is demoted ranks as doubtful', () => {
    expect(value({ order: 'demote', holder: true })).toBe(TRACK.doubtfulHolder);
    expect(value({ order: 'demote' })).toBe(TRACK.doubtful);
    const hopeless = {
      service: 'failed',
      localApiServes: false,
      everyoneFailing: true,
      holder: true,
    } as const;
    expect(value({ order: 'demote', ...hopeless })).toBe(TRACK.healthyHolder);
  });

  test('a promotion gives priority 254 from any place, but nothing to an unhealthy node', () => {
    for (const priority of [220, 192, 21]) expect(priority + value({ order: 'promote', priority })).toBe(254);
    for (const service of ['doubtful', 'failed', 'unknown'] as const)
      for (const rest of [{}, { everyoneFailing: true }, { failedForMs: 9_999 }]) {
        const failing = { service, ...rest };
        expect(value({ order: 'promote', ...failing })).toBe(value(failing));
      }
    expect(value({ order: 'promote', priority: undefined })).toBe(TRACK.healthy);
    expect(value({ order: 'promote', priority: 254, holder: true })).toBe(TRACK.healthyHolder);
  });
});

interface Node {
  readonly service: 'ok' | 'doubtful' | 'failed';
  readonly silent: boolean;
  readonly drained: boolean;
}

/** The effective priorities of a group, as keepalived computes them. A node in FAULT does not compete. */
function ranked(nodes: readonly Node[], holder: number, everyoneFailing = false) {
  const parts = nodes.map(({ service, silent, drained }, index) => {
    const order = drained ? 'drain' : 'none';
    const own = value({ service, holder: index === holder, everyoneFailing, failedForMs: 9_999, order });
    const added = silent ? silentTrackValue(own, index === holder) : own;
    return { index, priority: added <= -254 ? 0 : vrrpPriority(index, nodes.length) + added };
  });
  return parts.sort((a, b) => b.priority - a.priority);
}

const node = fc.record({
  service: fc.constantFrom('ok', 'doubtful', 'failed'),
  silent: fc.boolean(),
  drained: fc.boolean(),
} as const);
const group = fc
  .array(node, { minLength: 2, maxLength: 29 })
  .chain((nodes) => fc.record({ nodes: fc.constant(nodes), holder: fc.nat(nodes.length - 1) }));

function kind({ service, silent, drained }: Node) {
  if (service === 'failed' || (drained && silent)) return 'degraded';
  if (drained) return 'drained';
  return silent || service === 'doubtful' ? 'doubtful' : 'healthy';
}
const kinds = ['degraded', 'drained', 'doubtful', 'healthy'];

describe('property', () => {
  test('a node of the best class wins, and the holder if it is one of them', () => {
    fc.assert(
      fc.property(group, ({ nodes, holder }) => {
        const best = Math.max(...nodes.map((each) => kinds.indexOf(kind(each))));
        const winner = ranked(nodes, holder)[0]?.index ?? -1;
        const rankOf = (index: number) =>
          kinds.indexOf(kind(nodes[index] ?? { service: 'failed', silent: true, drained: true }));
        expect(rankOf(winner)).toBe(best);
        if (rankOf(holder) === best) expect(winner).toBe(holder);
      }),
    );
  });

  test('no two nodes ever have equal priorities', () => {
    fc.assert(
      fc.property(group, ({ nodes, holder }) => {
        const priorities = ranked(nodes, holder).map(({ priority }) => priority);
        expect(new Set(priorities).size).toBe(nodes.length);
        expect(Math.min(...priorities)).toBeGreaterThanOrEqual(1);
        expect(Math.max(...priorities)).toBeLessThanOrEqual(254);
      }),
    );
  });

  test('if every node is failing, nothing moves', () => {
    fc.assert(
      fc.property(group, ({ nodes, holder }) => {
        const failing = nodes.map(() => ({ service: 'failed', silent: false, drained: false }) as const);
        expect(ranked(failing, holder, true)[0]?.index).toBe(holder);
      }),
    );
  });

  test('if every monitor goes silent, nothing moves, whatever the last values', () => {
    fc.assert(
      fc.property(group, fc.constantFrom(...Object.values(TRACK)), ({ nodes, holder }, last) => {
        const priorities = nodes.map(
          (_, index) => vrrpPriority(index, nodes.length) + silentTrackValue(last, index === holder),
        );
        expect(priorities.indexOf(Math.max(...priorities))).toBe(holder);
      }),
    );
  });
});

test('a silent monitor leaves no node in FAULT and none above a healthy one', () => {
  expect(silentTrackValue(TRACK.fault, false)).toBe(TRACK.degraded);
  expect(silentTrackValue(TRACK.healthyHolder, true)).toBe(TRACK.doubtfulHolder);
  expect(silentTrackValue(TRACK.healthyHolder, false)).toBe(TRACK.doubtful);
});
