import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { ServerCounters } from '../../../../src/api-lb/suspects/server-counters.ts';
import { type Observed, suspectsOf, verdictOf } from '../../../../src/api-lb/suspects/suspicion.ts';
import type { ProbeResult } from '../../../../src/engine/system/network/probe-tcp.ts';

function server(name: string, more: Partial<ServerCounters> = {}): ServerCounters {
  return {
    name: `masters/${name}`,
    checkedAs: `masters_checks/${name}`,
    isUp: true,
    address: { host: `10.0.0.${name.length}`, port: 6443 },
    failedAttempts: 0,
    redispatched: 0,
    longestConnectMs: 0,
    chosen: 0,
    bytesFromServer: 0,
    ...more,
  };
}

/** The suspects of the last of these polls, which are 100 ms apart. */
function suspectsAfter(...polls: readonly (readonly ServerCounters[])[]): readonly string[] {
  let observed: Observed = new Map();
  let suspects: readonly string[] = [];
  polls.forEach((poll, index) => {
    const round = suspectsOf(observed, poll, { at: index * 100, hasNewAddress: false });
    observed = round.observed;
    suspects = round.suspects.map((each) => `${each.server.name} ${each.suspicion}`);
  });
  return suspects;
}

test('a server is suspected after a failed attempt, but not for attempts before the first poll', () => {
  const before = server('a', { failedAttempts: 7 });
  const after = server('a', { failedAttempts: 8 });
  expect(suspectsAfter([before])).toEqual([]);
  expect(suspectsAfter([before], [before])).toEqual([]);
  expect(suspectsAfter([before], [after])).toEqual(['masters/a failed-attempts']);
  expect(suspectsAfter([before], [after], [after])).toEqual([]);
});

test('a server that is down is not suspected', () => {
  const down = { isUp: false };
  expect(suspectsAfter([server('a', down)], [server('a', { ...down, failedAttempts: 1 })])).toEqual([]);
});

test('a server with a connection is suspected after 0.4 s without an answer', () => {
  const idle = server('a');
  const asked = server('a', { chosen: 1 });
  const answered = server('a', { chosen: 1, bytesFromServer: 1 });
  expect(suspectsAfter([idle], [asked], [asked], [asked], [asked])).toEqual([]);
  expect(suspectsAfter([idle], [asked], [asked], [asked], [asked], [asked])).toEqual(['masters/a no-answer']);
  expect(suspectsAfter([idle], [asked], [asked], [answered], [answered], [answered], [answered])).toEqual([]);
  expect(suspectsAfter([idle], [idle], [idle], [idle], [idle], [idle], [idle])).toEqual([]);
});

test('a server with long connections is suspected once, and again after the next connection', () => {
  const polls = (...chosen: readonly number[]) => chosen.map((count) => [server('a', { chosen: count })]);
  expect(suspectsAfter(...polls(0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1))).toEqual([]);
  expect(suspectsAfter(...polls(0, 1, 1, 1, 1, 1, 2, 2, 2, 2, 2))).toEqual(['masters/a no-answer']);
});

test('a new address of the node makes every server that is up suspect, even at the first poll', () => {
  const poll = [server('a'), server('bb', { isUp: false }), server('ccc')];
  const { suspects } = suspectsOf(new Map(), poll, { at: 0, hasNewAddress: true });
  expect(suspects.map((each) => `${each.server.name} ${each.suspicion}`)).toEqual([
    'masters/a new-address',
    'masters/ccc new-address',
  ]);
});

const ownAddresses = new Set(['10.0.0.1']);
const own = server('a');
const other = server('bb');
const suspect = server('ccc');
const all = [own, other, suspect];

/** The verdict on the suspect, given the probe result of each server. */
function verdict(results: Readonly<Record<string, ProbeResult>>, up: readonly ServerCounters[] = all) {
  const named = Object.entries(results).map(([name, result]) => [`masters/${name}`, result] as const);
  return verdictOf(suspect, { results: new Map(named), up, ownAddresses });
}

test.each<[string, ReturnType<typeof verdict>, Parameters<typeof verdict>]>([
  ['that answers', 'answered', [{ a: 'answers', bb: 'answers', ccc: 'answers' }]],
  ['that is silent while another node answers', 'set-aside', [{ a: 'silent', bb: 'answers', ccc: 'silent' }]],
  ['that is silent like all servers', 'no-witness', [{ a: 'silent', bb: 'silent', ccc: 'silent' }]],
  [
    "that is silent while only this node's server answers",
    'no-witness',
    [{ a: 'answers', bb: 'silent', ccc: 'silent' }],
  ],
  ['that hangs while another server answers', 'set-aside', [{ a: 'answers', bb: 'hung', ccc: 'hung' }]],
  ['that hangs like all servers', 'no-witness', [{ a: 'hung', bb: 'hung', ccc: 'hung' }]],
  [
    'that refuses connections while another server answers',
    'set-aside',
    [{ a: 'answers', bb: 'silent', ccc: 'refused' }],
  ],
  [
    'that refuses connections while no server answers',
    'no-witness',
    [{ a: 'refused', bb: 'silent', ccc: 'refused' }],
  ],
  [
    'that health checks marked down meanwhile',
    'gone',
    [{ a: 'answers', bb: 'answers', ccc: 'hung' }, [own, other]],
  ],
  [
    'that is silent after its witness went down',
    'no-witness',
    [{ a: 'silent', bb: 'answers', ccc: 'silent' }, [own, suspect]],
  ],
])('the verdict on a suspect %s: %s', (_what, expected, probes) => {
  expect(verdict(...probes)).toBe(expected);
});

test('a server of another backend is not a witness', () => {
  const foreign = { ...other, name: 'ingress/bb' };
  const results = new Map<string, ProbeResult>([
    ['ingress/bb', 'answers'],
    [suspect.name, 'hung'],
  ]);
  expect(verdictOf(suspect, { results, up: [foreign, suspect], ownAddresses })).toBe('no-witness');
});

test('at least one server that answered stays in service', () => {
  const result = fc.constantFrom<ProbeResult>('answers', 'refused', 'hung', 'silent');
  const some = fc.array(fc.record({ result, isOwn: fc.boolean(), isUp: fc.boolean() }), { maxLength: 6 });
  fc.assert(
    fc.property(some, (drawn) => {
      const servers = drawn.map((_, index) => server('x'.repeat(index + 1)));
      const up = servers.filter((_, index) => drawn[index]?.isUp);
      const results = new Map(servers.map(({ name }, index) => [name, drawn[index]?.result ?? 'silent']));
      const own = servers.filter((_, index) => drawn[index]?.isOwn).map(({ address }) => address.host);
      const isAway = (each: ServerCounters) =>
        verdictOf(each, { results, up, ownAddresses: new Set(own) }) === 'set-aside';
      const left = up.filter((each) => !isAway(each));
      if (left.length < up.length) expect(left.map(({ name }) => results.get(name))).toContain('answers');
    }),
  );
});
