import { expect, test } from 'vitest';
import type { ServerCounters } from '../../../../src/haproxy/server-counters.ts';
import { type Known, suspectsOf, verdictOf } from '../../../../src/haproxy/supervise/suspicion.ts';

function server(name: string, more: Partial<ServerCounters> = {}): ServerCounters {
  return {
    ...{ name: `masters/${name}`, checkedAs: `masters_checks/${name}`, isUp: true },
    address: { host: `10.0.0.${name.length}`, port: 6443 },
    ...{ failedAttempts: 0, redispatched: 0, longestConnectMs: 0, chosen: 0, bytesFromServer: 0 },
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
  const [before, after] = [server('a', { failedAttempts: 7 }), server('a', { failedAttempts: 8 })];
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
  const [idle, asked] = [server('a'), server('a', { chosen: 1 })];
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
const [own, other] = [server('a'), server('bb')];

test('a suspect that answers is left alone', () => {
  expect(verdictOf('connect', { answers: true, witnesses: [], ownAddresses })).toBe('answered');
});

test('a suspect that does not answer is set aside only if another node answers', () => {
  const silent = { answers: false, ownAddresses };
  expect(verdictOf('connect', { ...silent, witnesses: [other] })).toBe('set-aside');
  expect(verdictOf('connect', { ...silent, witnesses: [] })).toBe('no-witness');
  expect(verdictOf('connect', { ...silent, witnesses: [own] })).toBe('no-witness');
});

test('for a process that hangs behind a kernel that accepts, any other server is a witness', () => {
  expect(verdictOf('answer', { answers: false, witnesses: [own], ownAddresses })).toBe('set-aside');
  expect(verdictOf('answer', { answers: false, witnesses: [], ownAddresses })).toBe('no-witness');
});
