import { type IncomingHttpHeaders, type IncomingMessage, request } from 'node:http';
import { expect, onTestFinished, test } from 'vitest';
import { type AliveEvent, type PageEvent, SILENCE_MS } from '../../../../src/operate/page/page-event.ts';
import { type PageHost, type PageHostOptions, startPageHost } from '../../../helpers/page/page-host.ts';
import * as statuses from '../../../helpers/page/statuses.ts';
import { haproxyMonitorSays } from '../../../helpers/status-samples.ts';
import { healthyHere, server, statusOf } from '../../../helpers/status-scenes.ts';
import { waitFor } from '../../../helpers/wait-for.ts';

/** Its clock stands still, so that nothing changes but what a test changes. */
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

/** `fetch` would not let a test choose the Host header. */
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

type Sent = { readonly name: string; readonly data: AliveEvent & Partial<PageEvent> };

/** Reads a stream of events until the test is over. */
async function watch(
  host: PageHost,
): Promise<{ readonly events: readonly Sent[]; readonly leave: () => void }> {
  const response = await open(host, '/events');
  expect(response.headers['content-type']).toBe('text/event-stream');
  const events: Sent[] = [];
  let text = '';
  response.setEncoding('utf8');
  response.on('error', () => undefined);
  response.on('data', (chunk) => {
    text += chunk;
    for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
      const [, name, data] = /^event: (\w+)\ndata: (.*)$/.exec(text.slice(0, end)) ?? [];
      if (name !== undefined && data !== undefined) events.push({ name, data: JSON.parse(data) });
      text = text.slice(end + 2);
    }
  });
  return { events, leave: () => response.destroy() };
}

/** A condition: the cluster has not been looked at for so long. */
function quietFor(host: PageHost, durationMs: number): () => number | false {
  let looks = -1;
  let sinceMs = 0;
  return () => {
    if (host.looks() !== looks) sinceMs = performance.now();
    looks = host.looks();
    return performance.now() - sinceMs >= durationMs && looks;
  };
}

test('the page is whole without a script, and every answer carries what keeps it safe', async () => {
  const host = await started(statuses.healthy());
  for (const path of [
    '/',
    '/page.css',
    '/page.js',
    '/icon.svg',
    '/nowhere',
    '/%00',
    '/../etc/passwd',
    '/events?x',
  ]) {
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
  // Nothing inline that the policy would have to allow, and nothing from elsewhere.
  expect(text).not.toMatch(/<script>|<style|\sstyle=|\son[a-z]+=|https?:/);
});

test('it only reads: every other method, path and name is refused', async () => {
  const host = await started(statuses.healthy());
  const statusOf = async (...args: [path: string, options?: Parameters<typeof open>[2]]) =>
    (await ask(host, ...args)).status;
  expect(await statusOf('/', { method: 'POST' })).toBe(405);
  expect((await ask(host, '/', { method: 'DELETE' })).headers.allow).toBe('GET, HEAD');
  expect(await statusOf('/dist/hawser.mjs')).toBe(404);
  expect(await statusOf('//attacker.example/')).toBe(404);
  expect(await statusOf('/', { headers: { host: 'attacker.example' } })).toBe(421);
  expect(await statusOf('/events', { headers: { 'sec-fetch-site': 'cross-site' } })).toBe(403);
  expect(host.looks()).toBe(0);
});

test('HEAD gets the headers of GET and no body', async () => {
  const host = await started(statuses.healthy());
  const answer = await ask(host, '/', { method: 'HEAD' });
  expect(answer).toMatchObject({ status: 200, text: '' });
  expect(Number(answer.headers['content-length'])).toBeGreaterThan(1_000);
  expect(await ask(host, '/events', { method: 'HEAD' })).toMatchObject({ status: 200, text: '' });
});

test('who watches is shown the whole page at once, and again whenever it has changed', async () => {
  const host = await started(statuses.healthy());
  const { events } = await watch(host);
  await waitFor('a sign of life', () => events.some(({ name }) => name === 'alive'));
  expect(events.filter(({ name }) => name === 'page')).toHaveLength(1);
  expect(events[0]?.data.main).toContain('held by cp-1');
  host.set(statuses.failedOver());
  const changed = await waitFor('the change', () => events.filter(({ name }) => name === 'page')[1]);
  expect(changed.data.main).toContain('held by cp-2');
  expect(changed.data.title).toBe('Degraded · cp-1 · hawser');
});

test('the cluster is examined while a reader watches, once for all of them, and not at all afterwards', async () => {
  let number = 0;
  const host = await started(async () => {
    number += 1;
    return { ...statuses.healthy(), problems: [`look ${number}`] };
  });
  expect(host.looks()).toBe(0);
  const watchers = await Promise.all(Array.from({ length: 5 }, () => watch(host)));
  await waitFor('each to be shown it again', () => watchers.every(({ events }) => events.length >= 3));
  // Each look is another page: had everybody a look of their own, there would be five times as many.
  for (const { events } of watchers) expect(host.looks()).toBeLessThanOrEqual(events.length + 2);
  for (const { leave } of watchers) leave();
  const seen = await waitFor('the last look', quietFor(host, 1_200));
  const again = await watch(host);
  await waitFor('it to look again', () => again.events.length > 0 && host.looks() > seen);
});

test('those who ask while the cluster is being looked at share that look', async () => {
  const seen = Promise.withResolvers<ReturnType<typeof statuses.healthy>>();
  const host = await started(() => seen.promise);
  const asking = Array.from({ length: 5 }, () => ask(host, '/'));
  await waitFor('a look', () => host.looks() > 0);
  // Answered after those above have come in.
  expect((await ask(host, '/nowhere')).status).toBe(404);
  seen.resolve(statuses.healthy());
  const answers = await Promise.all(asking);
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
  expect(host.looks()).toBe(1);
});

test('a problem that goes on is no new page before it is a second older', async () => {
  const downFor = (sinceMs: number) => {
    const lastChange = { cause: 'start', result: 'rejected', message: 'Cannot use …', agoMs: sinceMs };
    const here = { ...healthyHere, haproxyMonitor: { ...haproxyMonitorSays, lastChange } };
    return statusOf({ ...here, servers: [server('cp-1', { state: 'down', sinceMs }), server('cp-2')] });
  };
  const host = await started(downFor(12_100));
  const { events } = await watch(host);
  const pages = () => events.filter(({ name }) => name === 'page').length;
  await waitFor('the page', () => pages() === 1);
  const heard = events.length;
  host.set(downFor(12_600));
  await waitFor('two signs of life', () => events.length >= heard + 2);
  expect(pages()).toBe(1);
  host.set(downFor(13_050));
  await waitFor('the next second', () => pages() === 2);
});

test('there is no sign of life while the cluster cannot be looked at, and the page says why', async () => {
  const host = await started(statuses.healthy());
  const { events } = await watch(host);
  await waitFor('the page', () => events.length > 0);
  host.set(async () => {
    throw new Error('no file descriptor left');
  });
  const before = host.looks();
  await waitFor('some more looks', () => host.looks() >= before + 4, SILENCE_MS * 4);
  // One may have been on its way.
  expect(events.filter(({ name }) => name === 'alive').length).toBeLessThanOrEqual(1);
  expect(await ask(host, '/')).toMatchObject({
    ...{ status: 503, text: 'Cannot look at the cluster: no file descriptor left\n' },
  });
  host.set(statuses.healthy());
  const [told] = [events.length];
  await waitFor('it to live again', () => events.length > told);
});

test('so many may watch and no more, and one that leaves makes room', async () => {
  const host = await started(statuses.healthy());
  const watchers = await Promise.all(Array.from({ length: 16 }, () => watch(host)));
  expect(await ask(host, '/events')).toMatchObject({ status: 503 });
  expect((await ask(host, '/')).status).toBe(200);
  watchers[0]?.leave();
  const admitted = await waitFor('a place', async () => {
    const response = await open(host, '/events');
    return response.statusCode === 200;
  });
  expect(admitted).toBe(true);
});

test('stopping ends it at once, for those who watch too, and an address that is taken is told', async () => {
  const host = await started(statuses.healthy());
  const options: PageHostOptions = { port: host.port };
  await expect(startPageHost(statuses.healthy(), options)).rejects.toMatchObject({ code: 'EADDRINUSE' });
  const response = await open(host, '/events');
  const closed = new Promise((resolve) => response.once('close', resolve));
  response.on('error', () => undefined).resume();
  host.stop();
  await closed;
  await expect(ask(host, '/')).rejects.toMatchObject({ code: 'ECONNREFUSED' });
});
