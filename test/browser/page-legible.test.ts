import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { journalOfAnHour } from '../helpers/page/journal-of-an-hour.ts';
import * as statuses from '../helpers/page/statuses.ts';
import type { ClusterStatus } from '../helpers/status-types.ts';
import { brokenWords, contrasts, statesShown, stickingOut } from './in-page.ts';
import { hostOf, useBrowser, waitForContact } from './page-world.ts';

const open = useBrowser();
const clusters: readonly (readonly [string, ClusterStatus])[] = [
  ['healthy', statuses.healthy()],
  ['a failover', statuses.failedOver()],
  ['degraded', statuses.degraded()],
  ['split brain', statuses.splitBrain()],
  ['nothing answers', statuses.nothingAnswers()],
  ['200 servers', statuses.manyServers(200)],
];
const recent = () => journalOfAnHour(Date.now());

async function shown(status: ClusterStatus, options: Parameters<typeof open>[1] = {}): Promise<Page> {
  const host = await hostOf(status, { recent });
  const { page } = await open(host.url, options);
  await waitForContact(page);
  return page;
}

const schemes = (['light', 'dark'] as const).flatMap((scheme) =>
  clusters.map(([name, status]) => [scheme, name, status] as const),
);

test.each(schemes)(
  'every text and every shape can be told from what is behind it: %s, %s',
  async (colorScheme, _, status) => {
    const page = await shown(status, { colorScheme });
    const { texts, shapes } = await page.evaluate(contrasts);
    expect(texts.length).toBeGreaterThan(30);
    expect(texts.filter(({ ratio }) => ratio < 4.5)).toEqual([]);
    expect(shapes.filter(({ ratio }) => ratio < 3)).toEqual([]);
    await page.evaluate(() => {
      document.documentElement.dataset['contact'] = 'lost';
    });
    const lost = await page.evaluate(contrasts);
    expect(lost.texts.filter(({ ratio }) => ratio < 4.5)).toEqual([]);
  },
);

test.each(clusters)(
  'on a phone of 360 pixels nothing sticks out and nothing scrolls sideways: %s',
  async (_, status) => {
    const page = await shown(status, { viewport: { width: 360, height: 780 } });
    expect(await page.evaluate(stickingOut)).toEqual([]);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(360);
    // Text that is too small to read would fit as well.
    const sizes = await page.evaluate(() =>
      [...document.querySelectorAll('main :not(svg *)')].map((each) =>
        Number.parseFloat(getComputedStyle(each).fontSize),
      ),
    );
    expect(Math.min(...sizes)).toBeGreaterThanOrEqual(12);
  },
);

test.each([360, 760, 970, 1_280])(
  'no word of a state is broken at a width of %d, though another column is wide',
  async (width) => {
    const status = statuses.failedOver();
    const [other, ...more] = status.peers;
    if (other?.published == null) throw new Error('the fixture has a peer');
    const { haproxySupervisor } = other.published;
    const current = haproxySupervisor?.current;
    if (haproxySupervisor == null || current == null) throw new Error('the fixture has a generation');
    const changed = { ...haproxySupervisor, current: { ...current, configSha256: 'b'.repeat(64) } };
    const peer = { ...other, published: { ...other.published, haproxySupervisor: changed } };
    const here = { ...status.here, haproxySupervisor };
    const page = await shown(
      { ...status, here, peers: [peer, ...more] },
      { viewport: { width, height: 780 } },
    );
    expect(await page.getByText('not this node’s').count()).toBeGreaterThan(0);
    expect(await page.evaluate(brokenWords)).toEqual([]);
  },
);

test('names that are far too long break, on a phone and elsewhere', async () => {
  const long = JSON.parse(
    JSON.stringify(statuses.degraded()).replaceAll(/"cp-(\d)"/g, `"cp-$1${'.a-very-long-name'.repeat(14)}"`),
  );
  for (const width of [360, 720, 760, 970, 1_280]) {
    const page = await shown(long, { viewport: { width, height: 780 } });
    expect(await page.evaluate(stickingOut), String(width)).toEqual([]);
  }
});

test('without colour vision nothing is lost: states that mean something else have another shape, and all have words', async () => {
  const states: { readonly shape: string; readonly words: string }[] = [];
  for (const [, status] of clusters) states.push(...(await (await shown(status)).evaluate(statesShown)));
  expect(states.filter(({ shape, words }) => shape === '' || words === '')).toEqual([]);
  const shapesOf = (words: string) =>
    new Set(states.filter((each) => each.words === words).map(({ shape }) => shape));
  const meanings = [
    'up',
    'down',
    'holder',
    'backup',
    'fault',
    'draining',
    'not known',
    'Degraded',
    'Healthy',
  ];
  for (const words of meanings) expect(shapesOf(words).size, words).toBe(1);
  const [up, down, backup, draining, unknown, degraded] = [
    'up',
    'down',
    'backup',
    'draining',
    'not known',
    'Degraded',
  ].map((words) => [...shapesOf(words)][0]);
  expect(new Set([up, down, backup, draining, unknown, degraded]).size).toBe(6);
});

test('where the system forces its own colours every shape is still drawn, in the colour of the text', async () => {
  const page = await shown(statuses.degraded(), { forcedColors: 'active' });
  const colours = await page.evaluate(() => {
    const text = getComputedStyle(document.body).color;
    const background = getComputedStyle(document.body).backgroundColor;
    const icons = [...document.querySelectorAll('.icon')].map((icon) => getComputedStyle(icon).color);
    const bands = [...document.querySelectorAll('.lanes .band.holder')].map(
      (band) => getComputedStyle(band).fill,
    );
    return { text, background, icons, bands };
  });
  expect(new Set(colours.icons)).toEqual(new Set([colours.text]));
  expect(colours.bands.length).toBeGreaterThan(0);
  expect(colours.bands).not.toContain(colours.background);
});

test('a screen reader finds its way: landmarks, headings in order, tables with headers, a status for what changes', async () => {
  const page = await shown(statuses.degraded());
  const count = (role: Parameters<Page['getByRole']>[0], name?: string | RegExp) =>
    page.getByRole(role, name === undefined ? {} : { name }).count();
  expect(await count('banner')).toBe(1);
  expect(await count('main')).toBe(1);
  expect(await count('contentinfo')).toBe(1);
  for (const name of [
    'Virtual IPs',
    /^The last hour/,
    'API servers',
    /^HAProxy on cp-1/,
    'Nodes',
    'What happened in that hour',
  ])
    expect(await count('region', name), String(name)).toBe(1);
  const levels = await page
    .locator('h1, h2, h3, h4')
    .evaluateAll((all) => all.map(({ localName }) => Number(localName.slice(1))));
  expect(levels.filter((level) => level === 1)).toHaveLength(1);
  for (const [index, level] of levels.entries())
    expect(level - (levels[index - 1] ?? 0)).toBeLessThanOrEqual(1);
  expect(await page.getByRole('status').count()).toBe(2);
  // The drawing says in words what it shows; what is only decoration is not there.
  const drawings = await page
    .locator('svg[role=img]')
    .evaluateAll((all) => all.map((each) => each.getAttribute('aria-label') ?? ''));
  expect(drawings.length).toBeGreaterThan(3);
  expect(drawings.filter((label) => label.length < 12)).toEqual([]);
  expect(
    await page
      .locator('svg:not([role=img]):not([aria-hidden=true] *):not([aria-hidden=true]):not(svg svg)')
      .count(),
  ).toBe(0);
});

/** What the browser tells a screen reader: it need not be what the elements are called. */
async function rolesOf(page: Page): Promise<ReadonlyMap<string, number>> {
  const session = await page.context().newCDPSession(page);
  const { nodes } = await session.send('Accessibility.getFullAXTree');
  const roles = nodes.filter(({ ignored }) => !ignored).map(({ role }) => String(role?.value));
  return new Map([...new Set(roles)].map((role) => [role, roles.filter((each) => each === role).length]));
}

test.each([360, 1_280])(
  'tables are tables at a width of %d, whatever the style sheet makes of their rows',
  async (width) => {
    const page = await shown(statuses.degraded(), { viewport: { width, height: 780 } });
    const servers = page.getByRole('table', { name: 'API servers' });
    const columns = ['Server', 'State', 'For', 'Last check', 'Sessions'];
    expect(await servers.getByRole('columnheader').allTextContents()).toEqual(columns);
    expect(
      await servers
        .getByRole('row', { name: /^cp-3 / })
        .getByRole('cell')
        .first()
        .textContent(),
    ).toBe('down');
    const names = await page
      .getByRole('table')
      .evaluateAll((all) => all.map((each) => each.getAttribute('aria-label')));
    expect(names.filter((name) => !name)).toEqual([]);
    const drawn = await page.locator('table').evaluateAll((all) => ({
      table: all.length,
      row: all.flatMap((each) => [...each.querySelectorAll('tr')]).length,
      columnheader: all.flatMap((each) => [...each.querySelectorAll('thead th')]).length,
      rowheader: all.flatMap((each) => [...each.querySelectorAll('tbody th')]).length,
      cell: all.flatMap((each) => [...each.querySelectorAll('td')]).length,
    }));
    const told = await rolesOf(page);
    for (const [role, count] of Object.entries(drawn)) expect(told.get(role), role).toBe(count);
  },
);

test('it can be used with a keyboard, and what has the focus shows it', async () => {
  const page = await shown(statuses.manyServers(200), { viewport: { width: 360, height: 780 } });
  const details = page.locator('details');
  await page.keyboard.press('Tab');
  expect(await page.evaluate(() => document.activeElement?.localName)).toBe('summary');
  await page.keyboard.press('Enter');
  expect(await details.getAttribute('open')).not.toBeNull();
  expect(
    await page.getByRole('table', { name: 'API servers that are up' }).getByRole('rowheader').count(),
  ).toBe(199);
  expect(await page.evaluate(stickingOut)).toEqual([]);
});
