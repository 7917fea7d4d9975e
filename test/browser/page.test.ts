import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { startBrowser } from '../helpers/page/browser.ts';
import { journalOfAnHour } from '../helpers/page/journal-of-an-hour.ts';
import { startPageHost } from '../helpers/page/page-host.ts';
import * as statuses from '../helpers/page/statuses.ts';
import type { ClusterStatus } from '../helpers/status-types.ts';

/** A browser is heavy, and the machine may be busy. */
const PATIENCE_MS = 180_000;

/** The same cluster, with markup injected into every free text. */
function hostile(status: ClusterStatus): ClusterStatus {
  const attack =
    '</title></main><img src=x onerror="document.title=1"><script>document.title=1</script>\u202e';
  const free = new Set(['found', 'why', 'message', 'clusterName', 'problems', 'reason']);
  return JSON.parse(
    JSON.stringify(status, (key, value) => {
      if (!free.has(key)) return value;
      return Array.isArray(value) ? value.map((each) => `${each} ${attack}`) : value && `${value} ${attack}`;
    }),
  );
}

const sidewaysBy = (page: Page) =>
  page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);

test(
  'the page follows the cluster, executes no injected markup, fits a phone, and says when it is not live',
  async () => {
    await using host = await startPageHost(hostile(statuses.manyServers(200)), {
      journals: () => journalOfAnHour(Date.now()),
    });
    await using browser = await startBrowser({ viewport: { width: 360, height: 780 } });
    browser.setDefaultTimeout(PATIENCE_MS);
    const page = await browser.newPage();
    const complaints: string[] = [];
    const urls: string[] = [];
    page.on('console', (message) => complaints.push(message.text()));
    page.on('pageerror', (error) => complaints.push(String(error)));
    page.on('request', (request) => urls.push(request.url()));
    await page.goto(host.url);
    const contact = page.locator('#contact');
    await contact.getByText('Live').waitFor();
    expect(await page.locator('main img, main script, main [onerror]').count()).toBe(0);
    expect(await page.locator('h1').allInnerTexts()).toEqual([expect.stringContaining('Degraded')]);
    expect(await sidewaysBy(page)).toBe(0);

    // A section that the reader has opened stays open while a figure in it changes.
    const folded = page.locator('details');
    await folded.locator('summary').click();
    const status = statuses.manyServers(200);
    const servers = (status.here.servers ?? []).map((each) => ({ ...each, sessions: 4_711 }));
    host.set({ ...status, here: { ...status.here, servers } });
    await folded.getByText('4711').first().waitFor();

    host.set(statuses.failedOver());
    await page.getByText('held by cp-2').waitFor();
    expect(await page.locator('#verdict').textContent()).toBe('Degraded, 3 problems');
    expect(complaints).toEqual([]);
    expect(urls.filter((url) => !url.startsWith(host.url))).toEqual([]);

    host.stop();
    await contact.getByText('No contact').waitFor();
    expect(await page.title()).toBe('No contact · Degraded · cp-1 · hawser');
    await using again = await startPageHost(statuses.healthy(), { port: host.port });
    expect(again.url).toBe(host.url);
    await contact.getByText('Live').waitFor();
  },
  PATIENCE_MS,
);
