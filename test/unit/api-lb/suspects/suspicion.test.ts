import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { ServerCounters } from '../../../../src/api-lb/suspects/server-counters.ts';
import { type Known, suspectsOf, verdictOf } from '../../../../src/api-lb/suspects/suspicion.ts';
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

/** What is suspected at the last of these looks, 100 ms apart. */
function lookAt(...looks: readonly (readonly ServerCounters[])[]): readonly string[] {
  let known: Known = new Map();
  let told: readonly string[] = [];
  looks.forEach((look, index) => {
    const looked = suspectsOf(known, look, { at: index * 100, hasNewAddress: false });
    known = looked.known;
    told = looked.suspects.map((each) => `${each.server.name} ${each.suspicion}`);
  });
  return told;
}

test('a server is suspected after a failed attempt, not for those that were counted before the first look', () => {
  const before = server('a', { failedAttempts: 7 });
  const after = server('a', { failedAttempts: 8 });
  expect(lookAt([before])).toEqual([]);
  expect(lookAt([before], [before])).toEqual([]);
  expect(lookAt([before], [after])).toEqual(['masters/a failed-attempts']);
  expect(lookAt([before], [after], [after])).toEqual([]);
});

test('a server that gets no connections is not suspected', () => {
  const down = { isUp: false };
  expect(lookAt([server('a', down)], [server('a', { ...down, failedAttempts: 1 })])).toEqual([]);
});

test('a server that got a connection is suspected after 0.4 s in which none ended with an answer', () => {
  const idle = server('a');
  const asked = server('a', { chosen: 1 });
  const answered = server('a', { chosen: 1, bytesFromServer: 1 });
  expect(lookAt([idle], [asked], [asked], [asked], [asked])).toEqual([]);
  expect(lookAt([idle], [asked], [asked], [asked], [asked], [asked])).toEqual(['masters/a no-answer']);
  expect(lookAt([idle], [asked], [asked], [answered], [answered], [answered], [answered])).toEqual([]);
  expect(lookAt([idle], [idle], [idle], [idle], [idle], [idle], [idle])).toEqual([]);
});

test('a server whose connections last is suspected once, and again after the next connection', () => {
  const looks = (...chosen: readonly number[]) => chosen.map((count) => [server('a', { chosen: count })]);
  expect(lookAt(...looks(0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1))).toEqual([]);
  expect(lookAt(...looks(0, 1, 1, 1, 1, 1, 2, 2, 2, 2, 2))).toEqual(['masters/a no-answer']);
});

test('a new address of the node makes every server suspect that is up, at the first look as well', () => {
  const look = [server('a'), server('bb', { isUp: false }), server('ccc')];
  const { suspects } = suspectsOf(new Map(), look, { at: 0, hasNewAddress: true });
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

/** What becomes of the suspect, with what the probes found of each. */
function verdict(found: Readonly<Record<string, ProbeResult>>, up: readonly ServerCounters[] = all) {
  const named = Object.entries(found).map(([name, result]) => [`masters/${name}`, result] as const);
  return verdictOf(suspect, { found: new Map(named), up, ownAddresses });
}

test.each<[string, ReturnType<typeof verdict>, Parameters<typeof verdict>]>([
  ['that answers', 'answered', [{ a: 'answers', bb: 'answers', ccc: 'answers' }]],
  ['that is silent while another node answers', 'set-aside', [{ a: 'silent', bb: 'answers', ccc: 'silent' }]],
  ['that is silent as all are', 'no-witness', [{ a: 'silent', bb: 'silent', ccc: 'silent' }]],
  [
    'that is silent while only this node answers',
    'no-witness',
    [{ a: 'answers', bb: 'silent', ccc: 'silent' }],
  ],
  ['that hangs while any other answers', 'set-aside', [{ a: 'answers', bb: 'hung', ccc: 'hung' }]],
  ['that hangs as all do', 'no-witness', [{ a: 'hung', bb: 'hung', ccc: 'hung' }]],
  ['that refuses while any other answers', 'set-aside', [{ a: 'answers', bb: 'silent', ccc: 'refused' }]],
  ['that refuses while none answers', 'no-witness', [{ a: 'refused', bb: 'silent', ccc: 'refused' }]],
  [
    'that its checks marked down meanwhile',
    'gone',
    [{ a: 'answers', bb: 'answers', ccc: 'hung' }, [own, other]],
  ],
  [
    'that is silent while the one that answered went down',
    'no-witness',
    [{ a: 'silent', bb: 'answers', ccc: 'silent' }, [own, suspect]],
  ],
])('the verdict on a suspect %s: %s', (_what, found, of) => {
  expect(verdict(...of)).toBe(found);
});

test('a server of another backend is no witness', () => {
  const foreign = { ...other, name: 'ingress/bb' };
  const found = new Map<string, ProbeResult>([
    ['ingress/bb', 'answers'],
    [suspect.name, 'hung'],
  ]);
  expect(verdictOf(suspect, { found, up: [foreign, suspect], ownAddresses })).toBe('no-witness');
});

test('whatever the probes find, a server that answered stays', () => {
  const result = fc.constantFrom<ProbeResult>('answers', 'refused', 'hung', 'silent');
  const some = fc.array(fc.record({ result, isOwn: fc.boolean(), isUp: fc.boolean() }), { maxLength: 6 });
  fc.assert(
    fc.property(some, (drawn) => {
      const servers = drawn.map((_, index) => server('x'.repeat(index + 1)));
      const up = servers.filter((_, index) => drawn[index]?.isUp);
      const found = new Map(servers.map(({ name }, index) => [name, drawn[index]?.result ?? 'silent']));
      const own = servers.filter((_, index) => drawn[index]?.isOwn).map(({ address }) => address.host);
      const isAway = (each: ServerCounters) =>
        verdictOf(each, { found, up, ownAddresses: new Set(own) }) === 'set-aside';
      const left = up.filter((each) => !isAway(each));
      if (left.length < up.length) expect(left.map(({ name }) => found.get(name))).toContain('answers');
    }),
  );
});
