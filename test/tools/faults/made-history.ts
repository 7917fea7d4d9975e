import type { Entry, EntryOf } from '../../faults/record/history.ts';

/** A 100 s history of three nodes in which nothing goes wrong and cp-1 always holds the VIP. */
export function madeHistory(...more: readonly Entry[]): readonly Entry[] {
  const rest = (atMs: number, episode: number): readonly Entry[] => [
    { kind: 'rest', atMs, episode, reached: true, missing: '' },
    ...names.map((node) => atRest(node, atMs, episode)),
  ];
  return [
    {
      kind: 'run',
      atMs: 0,
      seed: 1,
      vip: '10.77.0.100',
      versions: {},
      nodes: names.map((name) => ({ name, address: '10.77.0.1' })),
    },
    ...holds('cp-1', 1_000),
    ...rest(2_000, 0),
    ...Array.from({ length: 980 }, (_, index) => probe(2_000 + index * 100)),
    ...more,
    ...rest(100_000, 1),
    { kind: 'over', atMs: 101_000 },
  ];
}

const names = ['cp-1', 'cp-2', 'cp-3'] as const;

/** The node has the address and is MASTER, until `toMs` or to the end. */
export function holds(node: string, fromMs: number, toMs?: number): readonly Entry[] {
  return [
    { kind: 'address', atMs: fromMs, node, holds: true },
    { kind: 'vrrp', atMs: fromMs, node, state: 'MASTER' },
    told(node, fromMs, { event: 'vrrp-transition', subject: 'API', from: 'BACKUP', to: 'MASTER' }),
    ...(toMs === undefined
      ? []
      : ([
          { kind: 'address', atMs: toMs, node, holds: false },
          { kind: 'vrrp', atMs: toMs, node, state: 'BACKUP' },
          told(node, toMs, { event: 'vrrp-transition', subject: 'API', from: 'MASTER', to: 'BACKUP' }),
        ] as const)),
  ];
}

/** A line in the node's journal. */
export function told(
  node: string,
  atMs: number,
  line: Partial<EntryOf<'journal'>['line']> & { readonly event: string },
): Entry {
  const at = new Date(Date.UTC(2026, 0, 1) + atMs).toISOString();
  const who = { v: 1, seq: 1, at, node, program: 'keepalived-supervisor', kind: 'vip' } as const;
  return { kind: 'journal', atMs, line: { ...who, ...line } };
}

/** A new generation of HAProxy starts serving. */
export function serving(node: string, atMs: number): Entry {
  return told(node, atMs, { event: 'generation-serving', program: 'haproxy-supervisor', kind: 'reload' });
}

export function probe(startedAtMs: number, reason: string | null = null): Entry {
  return { kind: 'probe', startedAtMs, endedAtMs: startedAtMs + 20, reason };
}

/** Failed requests, ten a second. */
export function outage(fromMs: number, toMs: number): readonly Entry[] {
  return Array.from({ length: (toMs - fromMs) / 100 }, (_, index) => probe(fromMs + index * 100, 'timeout'));
}

export function fault(
  name: EntryOf<'fault'>['name'],
  variant: string,
  node: string,
  [fromMs, toMs]: readonly [number, number],
  apart?: string[],
): readonly Entry[] {
  const what = { kind: 'fault', id: `1.${fromMs}`, name, variant, node, ...(apart && { apart }) } as const;
  return [
    { ...what, phase: 'start', atMs: fromMs },
    { ...what, phase: 'end', atMs: toMs },
  ];
}

export function atRest(
  node: string,
  atMs: number,
  episode: number,
  other: Partial<EntryOf<'node'>> = {},
): EntryOf<'node'> {
  return {
    kind: 'node',
    atMs,
    node,
    episode,
    served: 'a',
    configured: 'a',
    draining: 0,
    processes: 9,
    descriptors: { haproxy: 20 },
    files: ['haproxy.cfg'],
    ...other,
  };
}
