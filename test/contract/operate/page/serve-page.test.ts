import { mkdirSync } from 'node:fs';
import { type IncomingHttpHeaders, type IncomingMessage, request } from 'node:http';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { readJournals } from '../../../../src/operate/page/serve-status.ts';
import { openRange } from '../../../../src/operate/timeline/report.ts';
import { journalDirectory, moves } from '../../../helpers/journal-directory.ts';
import { type PageHost, type PageHostOptions, startPageHost } from '../../../helpers/page/page-host.ts';
import * as statuses from '../../../helpers/page/statuses.ts';
import { waitFor } from '../../../helpers/wait-for.ts';

/** The clock is fixed, so that only the test causes changes. */
async function started(status: Parameters<typeof startPageHost>[0]): Promise<PageHost> {
  const host = await startPageHost(status, { nowMs: () => Date.parse(statuses.takenAt) });
  onTestFinished(host.stop);
  return host;
}

interface Answer {
  readonly status: number | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

/** Needed because `fetch` cannot set the Host header. */
function open(
  { host, port }: PageHost,
  path: string,
  options: { readonly method?: string; readonly headers?: Readonly<Record<string, string>> } = {},
): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const asked = request({ host, port, path, ...options, agent: false }, resolve);
    asked.once('error', reject);
    onTestFinished(() => void asked.destroy());
    asked.end();
  });
}

async function ask(...args: Parameters<typeof open>): Promise<Answer> {
  const response = await open(...args);
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk);
  return { status: response.statusCode, headers: response.headers, text: Buffer.concat(chunks).toString() };
}

test('the page is complete without a script, and every answer has the security headers', async () => {
  const host = await started(statuses.healthy());
  for (const path of ['/', '/page.css', '/page.js', '/icon.svg', '/nowhere', '/%00', '/../etc/passwd']) {
    const { headers } = await open(host, path);
    expect(headers['content-security-policy'], path).toMatch(/^default-src 'none'; script-src 'self'; /);
    expect(headers, path).toMatchObject({
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
    });
    expect(headers, path).toMatchObject({
      'cache-control': 'no-store',
      'cross-origin-resource-policy': 'same-origin',
    });
  }
  const { status, text } = await ask(host, '/');
  expect(status).toBe(200);
  expect(text).toContain('held by cp-1');
  // Nothing inline that the policy would have to allow, and nothing from other hosts.
  expect(text).not.toMatch(/<script>|<style|\sstyle=|\son[a-z]+=|https?:/);
  expect(text).toContain('<noscript><meta http-equiv="refresh"');
});

test('only GET and HEAD of existing paths with an allowed host are answered', async () => {
  const host = await started(statuses.healthy());
  const statusOf = async (...args: [path: string, options?: Parameters<typeof open>[2]]) =>
    (await ask(host, ...args)).status;
  expect(await statusOf('/', { method: 'POST' })).toBe(405);
  expect((await ask(host, '/', { method: 'DELETE' })).headers.allow).toBe('GET, HEAD');
  expect(await statusOf('/dist/hawser.mjs')).toBe(404);
  expect(await statusOf('//attacker.example/')).toBe(404);
  expect(await statusOf('/', { headers: { host: 'attacker.example' } })).toBe(421);
  expect(await statusOf('/', { headers: { 'sec-fetch-site': 'cross-site' } })).toBe(403);
  expect(host.looks()).toBe(0);
});

test('HEAD returns the headers of GET without a body', async () => {
  const host = await started(statuses.healthy());
  const answer = await ask(host, '/', { method: 'HEAD' });
  expect(answer).toMatchObject({ status: 200, text: '' });
  expect(Number(answer.headers['content-length'])).toBeGreaterThan(1_000);
});

test('concurrent requests share one collection of the status', async () => {
  const seen = Promise.withResolvers<ReturnType<typeof statuses.healthy>>();
  const host = await started(() => seen.promise);
  const asking = Array.from({ length: 5 }, () => ask(host, '/'));
  await waitFor('a look', () => host.looks() > 0);
  // This is answered after the requests above have arrived.
  expect((await ask(host, '/nowhere')).status).toBe(404);
  seen.resolve(statuses.healthy());
  const answers = await Promise.all(asking);
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
  expect(host.looks()).toBe(1);
});

test('an unreadable cluster is an error with its reason until it is readable', async () => {
  const host = await started(async () => {
    throw new Error('no file descriptor left');
  });
  expect(await ask(host, '/')).toMatchObject({
    status: 503,
    text: "Cannot collect the cluster's status: no file descriptor left\n",
  });
  host.set(statuses.healthy());
  expect((await ask(host, '/')).status).toBe(200);
});

test('journals that cannot be read are named above the lanes', async () => {
  const problems = ['/nowhere: there is no such directory'];
  const host = await startPageHost(statuses.healthy(), { journals: () => ({ lines: [], problems }) });
  onTestFinished(host.stop);
  expect((await ask(host, '/')).text).toContain('Not read: /nowhere: there is no such directory');
});

test('an address in use is reported, and a stop ends connections at once', async () => {
  const host = await started(statuses.healthy());
  const options: PageHostOptions = { port: host.port };
  await expect(startPageHost(statuses.healthy(), options)).rejects.toMatchObject({ code: 'EADDRINUSE' });
  host.stop();
  await expect(ask(host, '/')).rejects.toMatchObject({ code: 'ECONNREFUSED' });
});

test('entries of a very busy hour that are not shown are counted', () => {
  const directory = journalDirectory();
  directory.fill(['keepalived-supervisor']);
  const { lines, problems } = readJournals([directory.path])(openRange);
  expect(lines).toHaveLength(2_000);
  expect(problems).toEqual([
    expect.stringMatching(/^\d+ entries left out: states before \d\d:\d\d:\d\d may be missing$/),
  ]);
});

test('journal files that cannot be read and missing lines are named', () => {
  const directory = journalDirectory();
  directory.tell('keepalived-supervisor', moves(3));
  directory.tamper('keepalived-supervisor', (lines) => lines.slice(1));
  const folder = join(directory.path, 'router.000000000001.jsonl');
  mkdirSync(folder);
  expect(readJournals([directory.path])(openRange).problems).toEqual([
    `${folder}: not a regular file`,
    '1 place with missing or foreign lines; hawser timeline shows them',
  ]);
});
