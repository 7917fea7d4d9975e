import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { LogEvent } from '../../../../src/engine/system/log.ts';
import { readRevocationList } from '../../../../src/haproxy/certificates/revocation-list.ts';
import { listsIn } from '../../../../src/router/configuration/fetched-lists.ts';
import type { Fetched } from '../../../../src/router/live/fetch-list.ts';
import { followLists } from '../../../../src/router/live/follow-lists.ts';
import { createAuthority } from '../../../helpers/certificates.ts';

const folder = mkdtempSync(join(tmpdir(), 'hawser-follow-lists-'));
afterAll(() => rmSync(folder, { recursive: true }));
const [first, second] = ['http://pki.test/a.crl', 'http://pki.test/b.crl'];
const authority = createAuthority(join(folder, 'a'), [first]);
const other = createAuthority(join(folder, 'b'), [second]);
const plain = createAuthority(join(folder, 'c'));
const read = (pem: string) => {
  const reading = readRevocationList(Buffer.from(pem));
  if (reading.kind === 'wrong') throw new Error(reading.message);
  return { issuedMs: reading.issuedMs, validToMs: reading.validToMs, pem: reading.pem };
};
const [old, young] = [read(authority.revoke()), read(authority.revoke(authority.issue({ commonName: 'x' })))];

const answers = new Map<string, Fetched>();
let asked: string[] = [];
let said: LogEvent[] = [];
let changes = 0;
let end = new AbortController();
const gives = (url: string, list: ReturnType<typeof read>) => answers.set(url, { kind: 'list', url, list });
const fails = (url: string) =>
  answers.set(url, { kind: 'failed', message: `${url}: HTTP 404, expected 200` });
const start = (served = '') =>
  followLists(
    {
      served: async () => served,
      fetch: async ([url = '']) => {
        asked.push(url);
        await new Promise((resolve) => setTimeout(resolve, 1));
        return answers.get(url) ?? { kind: 'failed', message: 'nothing' };
      },
      log: (event) => said.push(event),
      changed: () => (changes += 1),
      nowMs: () => performance.now(),
      wallMs: Date.now,
    },
    end.signal,
  );
type Lists = ReturnType<typeof start>;
const has = async (lists: Lists, cas: string) => [...listsIn(`${(await lists.fileFor(cas)).content}`).keys()];
const settle = () => vi.advanceTimersByTimeAsync(2);

beforeEach(() => {
  vi.useFakeTimers({ now: old.issuedMs });
  [asked, said, changes] = [[], [], 0];
  answers.clear();
  end = new AbortController();
});
afterEach(() => {
  end.abort();
  vi.useRealTimers();
});

test('a list is fetched once the CAs are known, and its file is told as another one', async () => {
  gives(first, old);
  const lists = start();
  await settle();
  expect(asked).toEqual([]);
  expect(await has(lists, authority.cert)).toEqual([]);
  expect(lists.problems()).toEqual([`${first} is still being asked`]);
  await settle();
  expect([asked, changes]).toEqual([[first], 1]);
  expect(await has(lists, authority.cert)).toEqual([first]);
  expect(lists.problems()).toEqual([]);
  expect(said).toMatchObject([{ event: 'revocations-fetched', url: first }]);
});

test('the file is the same whatever the order of the CAs', async () => {
  gives(first, old);
  gives(second, read(other.revoke()));
  const lists = start();
  const cas = [authority.cert, other.cert];
  await lists.fileFor(cas.join(''));
  await settle();
  const file = await lists.fileFor(cas.join(''));
  expect(await lists.fileFor(cas.toReversed().join(''))).toEqual(file);
  expect(await has(lists, other.cert)).toEqual([second]);
});

test('a list that cannot be fetched is asked for again, is told once, and keeps no other one away', async () => {
  fails(first);
  gives(second, read(other.revoke()));
  const lists = start();
  const cas = `${authority.cert}${other.cert}`;
  await lists.fileFor(cas);
  await settle();
  expect(await has(lists, cas)).toEqual([second]);
  expect(lists.problems()).toEqual([`${first}: HTTP 404, expected 200`]);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(asked.filter((url) => url === first).length).toBeGreaterThan(3);
  expect(said.filter(({ event }) => event === 'revocations-unusable')).toHaveLength(1);
  gives(first, old);
  await vi.advanceTimersByTimeAsync(300_000);
  expect(await has(lists, cas)).toEqual([first, second]);
  expect(lists.problems()).toEqual([]);
});

test('a list is asked for every hour, and an older one than that which is there is not taken', async () => {
  gives(first, young);
  const lists = start();
  await lists.fileFor(authority.cert);
  await settle();
  gives(first, { ...old, issuedMs: young.issuedMs - 1 });
  await vi.advanceTimersByTimeAsync(3_600_000);
  expect([asked.length, changes]).toEqual([2, 1]);
  expect(`${(await lists.fileFor(authority.cert)).content}`).toContain(young.pem);
});

test('one that is over refuses clients, which is said with the reason', async () => {
  gives(first, old);
  const lists = start();
  await lists.fileFor(authority.cert);
  await settle();
  fails(first);
  await vi.advanceTimersByTimeAsync(25 * 3_600_000);
  expect(lists.problems()).toEqual([
    expect.stringMatching(/^the list of http.* ended at 20.*: http.*HTTP 404/),
  ]);
  expect(await has(lists, authority.cert)).toEqual([first]);
});

test('a router that starts anew goes on with the lists that are served', async () => {
  gives(first, young);
  const lists = start();
  await lists.fileFor(authority.cert);
  await settle();
  const served = `${(await lists.fileFor(authority.cert)).content}`;
  fails(first);
  const anew = start(served);
  expect(`${(await anew.fileFor(authority.cert)).content}`).toBe(served);
  await settle();
  expect(anew.problems()).toEqual([]);
  end.abort();
  await Promise.all([lists.ended, anew.ended]);
});

test('CAs that name no place are an error, and what was known stays', async () => {
  gives(first, old);
  const lists = start();
  await lists.fileFor(authority.cert);
  await settle();
  await expect(lists.fileFor(plain.cert)).rejects.toThrow('name no place of a list of revoked ones');
  expect(await has(lists, authority.cert)).toEqual([first]);
});
