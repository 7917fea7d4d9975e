import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { LogEvent } from '../../../../src/engine/system/log.ts';
import { crlAuthorities, crlsIn } from '../../../../src/router/configuration/fetched-crls.ts';
import { fetchCrl } from '../../../../src/router/live/fetch-crl.ts';
import { followCrls } from '../../../../src/router/live/follow-crls.ts';
import { createAuthority } from '../../../helpers/certificates.ts';

const folder = mkdtempSync(join(tmpdir(), 'hawser-follow-crls-'));
afterAll(() => rmSync(folder, { recursive: true }));
const [first, spare, second] = ['http://pki.test/a.crl', 'http://spare.test/a.crl', 'http://pki.test/b.crl'];
const authority = createAuthority(join(folder, 'a'), [first, spare]);
const other = createAuthority(join(folder, 'b'), [second]);
const plain = createAuthority(join(folder, 'c'));
const both = `${authority.cert}${other.cert}`;

/** A CRL of the first CA that was made at this time, for a day. */
function crlAt(made: Date, days = 1): string {
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
const [old, young] = [crlAt(minutes(-60)), crlAt(minutes(-5))];
const [others, othersAt] = [other.revoke(), Date.now()];

/** What each place answers; others answer 404. */
const answers = new Map<string, string>();
let asked: string[] = [];
let said: LogEvent[] = [];
let changes = 0;
let end = new AbortController();
const start = (served = '') =>
  followCrls(
    {
      served: async () => served,
      fetch: fetchCrl,
      log: (event) => said.push(event),
      changed: () => (changes += 1),
      nowMs: () => performance.now(),
      wallMs: Date.now,
    },
    end.signal,
  );
type Crls = ReturnType<typeof start>;
const names = async (crls: Crls, cas: string) => {
  const found = crlsIn(`${(await crls.fileFor(cas)).content}`);
  return crlAuthorities(both)
    .filter(({ id }) => found.has(id))
    .map(({ places }) => places[0]);
};
const has = async (crls: Crls, cas: string, crl: string) => {
  const pem = (text: string) => text.replaceAll(/\s/g, '');
  return pem(`${(await crls.fileFor(cas)).content}`).includes(pem(crl));
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

test('a CRL is fetched once the CAs are known, and the first file has it', async () => {
  answers.set(first, old);
  const crls = start();
  await settle();
  expect([asked, crls.areTried()]).toEqual([[], false]);
  expect(await names(crls, authority.cert)).toEqual([first]);
  expect([asked, changes, crls.problems(), crls.areTried()]).toEqual([[first], 1, [], true]);
  expect(said).toMatchObject([{ event: 'revocations-fetched', url: first }]);
  expect(await crls.fileFor(authority.cert)).toBe(await crls.fileFor(authority.cert));
});

test('the file is the same whatever the order of the CAs', async () => {
  vi.setSystemTime(othersAt);
  answers.set(first, crlAt(new Date(othersAt))).set(second, others);
  const crls = start();
  await crls.fileFor(both);
  await vi.waitFor(() => expect(changes).toBe(2));
  const file = await crls.fileFor(both);
  expect(await crls.fileFor(`${other.cert}${authority.cert}`)).toEqual(file);
});

test('a CRL that cannot be fetched is asked for again, is told once, and keeps no other one away', async () => {
  answers.set(second, old);
  const crls = start();
  await crls.fileFor(both);
  await vi.waitFor(() => expect(said).toHaveLength(2));
  expect(crls.problems()).toEqual([
    `${first}: HTTP 404, expected 200; ${spare}: HTTP 404, expected 200`,
    `${second}: its authority has not signed it`,
  ]);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(asked.filter((url) => url === first).length).toBeGreaterThan(3);
  expect(said.filter(({ event }) => event === 'revocations-unusable')).toHaveLength(2);
  answers.set(spare, old);
  await vi.advanceTimersByTimeAsync(300_000);
  expect(await names(crls, both)).toEqual([first]);
  expect(crls.problems()).toHaveLength(1);
});

test('a CA of which no certificate names a CRL is told, as its clients are refused', async () => {
  answers.set(first, old);
  const crls = start();
  await crls.fileFor(`${authority.cert}${plain.cert}`);
  await vi.waitFor(() => expect(changes).toBe(1));
  expect(crls.problems()).toEqual([
    expect.stringContaining('names where the CRL of CN=hawser test authority is'),
  ]);
  expect(said.filter(({ event }) => event === 'revocations-unusable')).toHaveLength(1);
});

test.each([
  ['older than the last one', () => old, 'which is before the last one'],
  ['dated in the future', () => crlAt(minutes(600)), 'which is in the future'],
])('a CRL that is %s is not taken, and the next place is asked', async (_what, crl, reason) => {
  answers.set(first, young);
  const crls = start();
  await crls.fileFor(authority.cert);
  await vi.waitFor(() => expect(changes).toBe(1));
  answers.set(first, crl());
  await vi.advanceTimersByTimeAsync(3_600_000);
  await vi.waitFor(() => expect(said.at(-1)).toMatchObject({ event: 'revocations-unusable' }));
  expect(asked).toContain(spare);
  expect(said.at(-1)).toMatchObject({ message: expect.stringMatching(reason) });
  expect([await has(crls, authority.cert, young), changes]).toEqual([true, 1]);
  expect(crls.problems()).toEqual([]);
});

test('an expired CRL is no first one, and the next place is asked', async () => {
  answers.set(first, crlAt(minutes(-4 * 1_440))).set(spare, old);
  const crls = start();
  expect(await has(crls, authority.cert, old)).toBe(true);
  expect(asked).toEqual([first, spare]);
});

test('the first file waits for the first CRLs, but not for ever', async () => {
  vi.stubGlobal('fetch', async () => await new Promise<Response>(() => undefined));
  const crls = start();
  const file = crls.fileFor(authority.cert);
  await vi.advanceTimersByTimeAsync(10_000);
  expect(crlsIn(`${(await file).content}`).size).toBe(0);
  expect([crls.areTried(), crls.problems().length]).toEqual([false, 1]);
});

test('a router that starts anew takes no CRL that is older than the one that is served', async () => {
  answers.set(first, young);
  const served = `${(await start().fileFor(authority.cert)).content}`;
  answers.set(first, old);
  expect(`${(await start(served).fileFor(authority.cert)).content}`).toBe(served);
});

test('one that has expired refuses clients, which is told with the reason', async () => {
  answers.set(first, old);
  const crls = start();
  await crls.fileFor(authority.cert);
  await vi.waitFor(() => expect(changes).toBe(1));
  answers.clear();
  await vi.advanceTimersByTimeAsync(25 * 3_600_000);
  expect(crls.problems()).toEqual([
    expect.stringMatching(/^the CRL of CN=.* expired at 2026-.*: http.*HTTP 404/),
  ]);
  expect(await names(crls, authority.cert)).toEqual([first]);
});

test('a place that does not answer keeps no other CRL away', async () => {
  answers.set(second, old);
  vi.stubGlobal('fetch', async (url: string) => {
    if (url !== second) return await new Promise<Response>(() => undefined);
    asked.push(url);
    return new Response('', { status: 404 });
  });
  const crls = start();
  const file = crls.fileFor(both);
  await vi.advanceTimersByTimeAsync(20_000);
  await file;
  expect(asked.length).toBeGreaterThan(1);
});

test('a router that starts anew goes on with the CRLs that are served, and a CA that comes back with its last one', async () => {
  answers.set(first, old);
  const crls = start();
  await crls.fileFor(authority.cert);
  await vi.waitFor(() => expect(changes).toBe(1));
  const served = `${(await crls.fileFor(authority.cert)).content}`;
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
  await Promise.all([crls.ended, anew.ended]);
});
