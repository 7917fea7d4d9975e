import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { LogEvent } from '../../../../src/engine/system/log.ts';
import { listAuthorities, listsIn } from '../../../../src/router/configuration/fetched-lists.ts';
import { fetchList } from '../../../../src/router/live/fetch-list.ts';
import { followLists } from '../../../../src/router/live/follow-lists.ts';
import { createAuthority } from '../../../helpers/certificates.ts';

const folder = mkdtempSync(join(tmpdir(), 'hawser-follow-lists-'));
afterAll(() => rmSync(folder, { recursive: true }));
const [first, spare, second] = ['http://pki.test/a.crl', 'http://spare.test/a.crl', 'http://pki.test/b.crl'];
const authority = createAuthority(join(folder, 'a'), [first, spare]);
const other = createAuthority(join(folder, 'b'), [second]);
const plain = createAuthority(join(folder, 'c'));
const both = `${authority.cert}${other.cert}`;

/** A list of the first CA that was made at this time, for a day. */
function listAt(made: Date, days = 1): string {
  const stamp = (ms: number) => `${new Date(ms).toISOString().slice(0, 19).replace(/[-:T]/g, '')}Z`;
  const [from, to] = [stamp(made.getTime()), stamp(made.getTime() + days * 86_400_000)];
  const dir = join(folder, 'a');
  const files = ['-cert', join(dir, 'ca.crt'), '-keyfile', join(dir, 'ca.key'), '-out', join(dir, 'at.crl')];
  const times = ['-crl_lastupdate', from, '-crl_nextupdate', to];
  const command = ['ca', '-batch', '-config', join(dir, 'revoked.cnf'), ...files, '-gencrl', ...times];
  execFileSync('openssl', command, { stdio: 'pipe' });
  return readFileSync(join(dir, 'at.crl'), 'utf8');
}

authority.revoke();
const start0 = new Date('2026-06-01T12:00:00Z');
const minutes = (count: number) => new Date(start0.getTime() + count * 60_000);
const [old, young] = [listAt(minutes(-60)), listAt(minutes(-5))];
const [others, othersAt] = [other.revoke(), Date.now()];

/** What each place answers; others answer 404. */
const answers = new Map<string, string>();
let asked: string[] = [];
let said: LogEvent[] = [];
let changes = 0;
let end = new AbortController();
const start = (served = '') =>
  followLists(
    {
      served: async () => served,
      fetch: fetchList,
      log: (event) => said.push(event),
      changed: () => (changes += 1),
      nowMs: () => performance.now(),
      wallMs: Date.now,
    },
    end.signal,
  );
type Lists = ReturnType<typeof start>;
const names = async (lists: Lists, cas: string) => {
  const found = listsIn(`${(await lists.fileFor(cas)).content}`);
  return listAuthorities(both)
    .filter(({ id }) => found.has(id))
    .map(({ places }) => places[0]);
};
const has = async (lists: Lists, cas: string, list: string) => {
  const pem = (text: string) => text.replaceAll(/\s/g, '');
  return pem(`${(await lists.fileFor(cas)).content}`).includes(pem(list));
};
const settle = () => vi.advanceTimersByTimeAsync(2);

beforeEach(() => {
  vi.useFakeTimers({ now: start0, toFake: ['setTimeout', 'clearTimeout', 'Date', 'performance'] });
  vi.stubGlobal('fetch', async (url: string) => {
    asked.push(url);
    const answer = answers.get(url);
    return new Response(answer ?? '', { status: answer === undefined ? 404 : 200 });
  });
  [asked, said, changes] = [[], [], 0];
  answers.clear();
  end = new AbortController();
});
afterEach(() => {
  end.abort();
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

test('a list is fetched once the CAs are known, and the first file has it', async () => {
  answers.set(first, old);
  const lists = start();
  await settle();
  expect([asked, lists.areTried()]).toEqual([[], false]);
  expect(await names(lists, authority.cert)).toEqual([first]);
  expect([asked, changes, lists.problems(), lists.areTried()]).toEqual([[first], 1, [], true]);
  expect(said).toMatchObject([{ event: 'revocations-fetched', url: first }]);
  expect(await lists.fileFor(authority.cert)).toBe(await lists.fileFor(authority.cert));
});

test('the file is the same whatever the order of the CAs', async () => {
  vi.setSystemTime(othersAt);
  answers.set(first, listAt(new Date(othersAt))).set(second, others);
  const lists = start();
  await lists.fileFor(both);
  await vi.waitFor(() => expect(changes).toBe(2));
  const file = await lists.fileFor(both);
  expect(await lists.fileFor(`${other.cert}${authority.cert}`)).toEqual(file);
});

test('a list that cannot be fetched is asked for again, is told once, and keeps no other one away', async () => {
  answers.set(second, old);
  const lists = start();
  await lists.fileFor(both);
  await vi.waitFor(() => expect(said).toHaveLength(2));
  expect(lists.problems()).toEqual([
    `${first}: HTTP 404, expected 200; ${spare}: HTTP 404, expected 200`,
    `${second}: its authority has not signed it`,
  ]);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(asked.filter((url) => url === first).length).toBeGreaterThan(3);
  expect(said.filter(({ event }) => event === 'revocations-unusable')).toHaveLength(2);
  answers.set(spare, old);
  await vi.advanceTimersByTimeAsync(300_000);
  expect(await names(lists, both)).toEqual([first]);
  expect(lists.problems()).toHaveLength(1);
});

test('a CA of which no certificate names a list is told, as its clients are refused', async () => {
  answers.set(first, old);
  const lists = start();
  await lists.fileFor(`${authority.cert}${plain.cert}`);
  await vi.waitFor(() => expect(changes).toBe(1));
  expect(lists.problems()).toEqual([
    expect.stringContaining('names where the list of CN=hawser test authority is'),
  ]);
  expect(said.filter(({ event }) => event === 'revocations-unusable')).toHaveLength(1);
});

test.each([
  ['older than the last one', () => old, 'which is before the last one'],
  ['dated in the future', () => listAt(minutes(600)), 'which is in the future'],
])('a list that is %s is not taken, and the next place is asked', async (_what, list, reason) => {
  answers.set(first, young);
  const lists = start();
  await lists.fileFor(authority.cert);
  await vi.waitFor(() => expect(changes).toBe(1));
  answers.set(first, list());
  await vi.advanceTimersByTimeAsync(3_600_000);
  await vi.waitFor(() => expect(said.at(-1)).toMatchObject({ event: 'revocations-unusable' }));
  expect(asked).toContain(spare);
  expect(said.at(-1)).toMatchObject({ message: expect.stringMatching(reason) });
  expect([await has(lists, authority.cert, young), changes]).toEqual([true, 1]);
  expect(lists.problems()).toEqual([]);
});

test('an expired list is no first one, and the next place is asked', async () => {
  answers.set(first, listAt(minutes(-4 * 1_440))).set(spare, old);
  const lists = start();
  expect(await has(lists, authority.cert, old)).toBe(true);
  expect(asked).toEqual([first, spare]);
});

test('the first file waits for the first lists, but not for ever', async () => {
  vi.stubGlobal('fetch', async () => await new Promise<Response>(() => undefined));
  const lists = start();
  const file = lists.fileFor(authority.cert);
  await vi.advanceTimersByTimeAsync(10_000);
  expect(listsIn(`${(await file).content}`).size).toBe(0);
  expect([lists.areTried(), lists.problems().length]).toEqual([false, 1]);
});

test('a router that starts anew takes no list that is older than the one that is served', async () => {
  answers.set(first, young);
  const served = `${(await start().fileFor(authority.cert)).content}`;
  answers.set(first, old);
  expect(`${(await start(served).fileFor(authority.cert)).content}`).toBe(served);
});

test('one that has expired refuses clients, which is told with the reason', async () => {
  answers.set(first, old);
  const lists = start();
  await lists.fileFor(authority.cert);
  await vi.waitFor(() => expect(changes).toBe(1));
  answers.clear();
  await vi.advanceTimersByTimeAsync(25 * 3_600_000);
  expect(lists.problems()).toEqual([
    expect.stringMatching(/^the list of CN=.* expired at 2026-.*: http.*HTTP 404/),
  ]);
  expect(await names(lists, authority.cert)).toEqual([first]);
});

test('a place that does not answer keeps no other list away', async () => {
  answers.set(second, old);
  vi.stubGlobal('fetch', async (url: string) => {
    if (url !== second) return await new Promise<Response>(() => undefined);
    asked.push(url);
    return new Response('', { status: 404 });
  });
  const lists = start();
  const file = lists.fileFor(both);
  await vi.advanceTimersByTimeAsync(20_000);
  await file;
  expect(asked.length).toBeGreaterThan(1);
});

test('a router that starts anew goes on with the lists that are served, and a CA that comes back with its last one', async () => {
  answers.set(first, old);
  const lists = start();
  await lists.fileFor(authority.cert);
  await vi.waitFor(() => expect(changes).toBe(1));
  const served = `${(await lists.fileFor(authority.cert)).content}`;
  const anew = start(served);
  expect(`${(await anew.fileFor(authority.cert)).content}`).toBe(served);
  answers.set(first, young);
  await vi.advanceTimersByTimeAsync(3_600_000);
  expect(await has(anew, authority.cert, young)).toBe(true);
  answers.clear();
  expect(await names(anew, other.cert)).toEqual([]);
  expect(await has(anew, both, young)).toBe(true);
  end.abort();
  await settle();
  await Promise.all([lists.ended, anew.ended]);
});
