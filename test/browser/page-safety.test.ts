import { createServer } from 'node:http';
import { expect, onTestFinished, test } from 'vitest';
import { freePort } from '../helpers/free-port.ts';
import * as statuses from '../helpers/page/statuses.ts';
import type { ClusterStatus } from '../helpers/status-types.ts';
import { hostOf, useBrowser, waitForContact } from './page-world.ts';

const open = useBrowser();

const attacks = [
  '<img src=x onerror="document.title=1">',
  '"><script>document.title=1</script>',
  "' onmouseover='document.title=1",
  '</title><svg onload=document.title=1>',
  '</main><h1>Healthy</h1>',
  'javascript:document.title=1',
  '\u202ecp-1',
];

/** A program that calls itself otherwise is none of hawser's, and has no section. */
const programs = new Set(statuses.healthy().here.programs.map(({ name }) => name));

/** The same cluster, with names that mean harm wherever a person or another program could have put them. */
function hostile(status: ClusterStatus): ClusterStatus {
  let next = 0;
  const attack = () => attacks[next++ % attacks.length] ?? '';
  const free = new Set([
    'name',
    'check',
    'found',
    'why',
    'problem',
    'message',
    'detail',
    'cause',
    'node',
    'clusterName',
  ]);
  return JSON.parse(
    JSON.stringify(status, (key, value) =>
      free.has(key) && typeof value === 'string' && !programs.has(value) ? `${value} ${attack()}` : value,
    ),
  );
}

test.each([
  ['healthy', statuses.healthy()],
  ['degraded', statuses.degraded()],
  ['split brain', statuses.splitBrain()],
  ['nothing answers', statuses.nothingAnswers()],
])('a page loads from its server only, and breaks neither policy nor script: %s', async (_, status) => {
  const host = await hostOf(status);
  const { page, complaints, urls } = await open(host.url);
  await waitForContact(page);
  expect(complaints).toEqual([]);
  expect(urls.filter((url) => !url.startsWith(host.url))).toEqual([]);
  expect(urls).toEqual(
    expect.arrayContaining(['page.css', 'page.js', 'events'].map((path) => `${host.url}${path}`)),
  );
});

test('names that are meant to be run are shown as they are, at load and when they come later', async () => {
  const host = await hostOf(hostile(statuses.healthy()));
  const { page, complaints } = await open(host.url);
  await waitForContact(page);
  host.set(hostile(statuses.degraded()));
  await page.getByText('ends within').waitFor();
  expect(await page.title()).toMatch(/^Degraded · cp-1 <img src=x onerror=/);
  expect(await page.locator('h1').allTextContents()).toEqual(['Degraded']);
  expect(
    await page.locator('main img, main script, main [onload], main [onerror], main [onmouseover]').count(),
  ).toBe(0);
  expect(await page.locator('main').textContent()).toContain('</main><h1>Healthy</h1>');
  expect(await page.locator('body').textContent()).not.toContain('\u202e');
  expect(complaints).toEqual([]);
});

test('what the policy forbids is not run: the test would see it', async () => {
  const host = await hostOf(statuses.healthy());
  const { page, complaints } = await open(host.url);
  await page.evaluate(() => {
    const script = document.createElement('script');
    script.textContent = 'document.title = "run"';
    document.body.append(script);
  });
  expect(await page.title()).not.toBe('run');
  expect(complaints.join()).toContain('Content Security Policy');
});

async function otherPage(): Promise<string> {
  const port = await freePort();
  const server = createServer((_, response) => {
    response.setHeader('content-type', 'text/html').end('<!doctype html><p>another page');
  });
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${port}/`;
}

test('a page of another site cannot read the events, though it knows the address', async () => {
  const host = await hostOf(statuses.healthy());
  // Of another port, and so of another origin, whose own policy keeps it from nothing.
  const { page } = await open(await otherPage());
  const failed = await page.evaluate(
    (url) =>
      new Promise((resolve) => {
        const events = new EventSource(url);
        events.addEventListener('error', () => resolve(events.readyState === EventSource.CLOSED));
        events.addEventListener('page', () => resolve(false));
      }),
    `${host.url}events`,
  );
  expect(failed).toBe(true);
  // Its browser would keep the answer from it, but the place would be taken.
  expect(host.looks()).toBe(0);
});
