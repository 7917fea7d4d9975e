import { expect, test } from 'vitest';
import * as statuses from '../helpers/page/statuses.ts';
import { hostOf, useBrowser, waitForContact } from './page-world.ts';

const open = useBrowser();

test('a new holder appears by itself, and only what has changed is told to a screen reader', async () => {
  const host = await hostOf(statuses.healthy());
  const { page, complaints } = await open(host.url);
  await waitForContact(page);
  expect(await page.locator('#news').textContent()).toBe('');
  const changedAt = performance.now();
  host.set(statuses.failedOver());
  await page.getByText('held by cp-2', { exact: true }).waitFor();
  console.log(`a change of holder was on the page after ${Math.round(performance.now() - changedAt)} ms`);
  expect(await page.title()).toBe('Degraded · cp-1 · hawser');
  const news = (await page.locator('#news').textContent()) ?? '';
  expect(news).toContain('VIP 192.0.2.100: held by cp-2.');
  expect(news).not.toContain('cp-3');
  expect(complaints).toEqual([]);
});

test('an opened, selected or focused element stays so when the page around it changes', async () => {
  const host = await hostOf(statuses.manyServers(200));
  const { page } = await open(host.url);
  await waitForContact(page);
  await page.locator('summary').click();
  await page.evaluate(() => {
    const row = document.querySelector('details tbody tr');
    if (row?.firstChild) getSelection()?.selectAllChildren(row.firstChild);
  });
  host.set(statuses.manyServers(150));
  await page.getByText('149 that are up').waitFor();
  expect(await page.locator('details').getAttribute('open')).not.toBeNull();
  expect(await page.evaluate(() => document.activeElement?.localName)).toBe('summary');
  expect(await page.evaluate(() => getSelection()?.toString())).toContain('cp-1');
});

test('a page whose server has gone says since when, and lives again with the next one', async () => {
  const host = await hostOf(statuses.healthy());
  const { page } = await open(host.url);
  await waitForContact(page);
  expect(await page.locator('#contact').textContent()).toBe('Live');
  host.stop();
  const contact = page.getByRole('status').filter({ hasText: 'No contact since' });
  await contact.waitFor();
  expect(await contact.textContent()).toMatch(
    /^No contact since \d\d:\d\d:\d\d UTC\. What is shown is how it was then\.$/,
  );
  expect(await page.title()).toMatch(/^No contact · Healthy/);
  expect(await page.locator('main').evaluate((main) => getComputedStyle(main).filter)).toBe('grayscale(1)');
  await hostOf(statuses.failedOver(), { port: host.port });
  await page.getByText('held by cp-2', { exact: true }).waitFor();
  await waitForContact(page);
  expect(await page.title()).toBe('Degraded · cp-1 · hawser');
});

test('a server that listens and says nothing any more does not keep the page alive', async () => {
  const host = await hostOf(statuses.healthy());
  const { page } = await open(host.url);
  await waitForContact(page);
  host.set(() => new Promise(() => undefined));
  await page.getByText('No contact since').waitFor();
});

test('one that was refused a place tries again', async () => {
  const host = await hostOf(statuses.healthy());
  const { page } = await open(host.url);
  await waitForContact(page);
  const refused = { status: 503, body: 'too many' };
  await page.route('**/events', (route) => route.fulfill(refused), { times: 2 });
  await page.reload();
  await page.getByText('No contact since').waitFor();
  await waitForContact(page);
});

test('without scripts it shows the state at load, and says that it stands still', async () => {
  const host = await hostOf(statuses.degraded());
  const { page } = await open(host.url, { javaScriptEnabled: false });
  expect(await page.getByText('held by cp-1').isVisible()).toBe(true);
  expect(await page.getByText('Without its script this page stands still: reload it.').isVisible()).toBe(
    true,
  );
  expect(await page.locator('header').textContent()).toMatch(/As it was at \d\d:\d\d:\d\d UTC/);
});
