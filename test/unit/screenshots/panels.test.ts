import { expect, test } from 'vitest';
import {
  type AnsweredPanel,
  askPanels,
  withoutData,
} from '../../../scripts/screenshots/panels/ask-panels.ts';
import { panelsPage } from '../../../scripts/screenshots/panels/page.ts';
import { scaleFor, shown } from '../../../scripts/screenshots/panels/scale.ts';

const range = { fromMs: 0, toMs: 60_000 };
const labels = { instance: '<cp-1>', job: 'hawser-haproxy', vip: '10.0.0.5' };

const onesAt = (...seconds: number[]) => seconds.map((second) => ({ atMs: second * 1_000, value: 1 }));

/** Prometheus as if every query had one series, and only the value 1. */
const everywhere = () => askPanels(async () => [{ labels, points: onesAt(0, 2, 4) }], range);

const bodyOf = (panels: readonly AnsweredPanel[], title: string) =>
  panelsPage(panels, range)
    .split('<section')
    .find((section) => section.includes(`<h3>${title}</h3>`)) ?? '';

test('a query that Prometheus refuses is named with its panel', async () => {
  const asked = askPanels(async (expression) => {
    if (expression.includes('hawser_split_brain')) throw new Error('parse error');
    return [];
  }, range);
  await expect(asked).rejects.toThrow(
    /^Cannot draw the panel "Split brain": Prometheus refuses sum by \(vip\) \(hawser_split_brain/,
  );
});

test('no variable of the dashboard is left in what Prometheus is asked', async () => {
  const asked: string[] = [];
  await askPanels(async (expression) => {
    asked.push(expression);
    return [];
  }, range);
  expect(asked.length).toBeGreaterThan(25);
  expect(asked.filter((expression) => expression.includes('$'))).toEqual([]);
});

test('a panel whose series have no point is one without data, and says so', async () => {
  const panels = await askPanels(async () => [{ labels, points: [] }], range);
  expect(withoutData(panels)).toContain('Split brain');
  expect(withoutData(panels)).not.toContain('Virtual IPs');
  expect(bodyOf(panels, 'Split brain')).toContain('No data');
  expect(withoutData(await everywhere())).toEqual([]);
});

test('every panel is drawn where the dashboard puts it, with its legend as text', async () => {
  const panels = await everywhere();
  expect(panelsPage(panels, range).match(/<section/g)?.length).toBe(
    panels.filter(({ panel }) => panel.type !== 'row').length,
  );
  expect(bodyOf(panels, 'Event loop lag')).toContain('grid-area:54/1/span 8/span 8');
  expect(bodyOf(panels, 'Event loop lag')).toContain('&lt;cp-1>');
});

test('a threshold colours a value, and a mapping names it', async () => {
  const panels = await everywhere();
  expect(bodyOf(panels, 'Split brain')).toContain('background:#e02f44');
  expect(bodyOf(panels, 'Holders of each VIP')).toContain('background:#56a64b');
  const state = '<p><i style="left:0.00%;width:10.00%;background:#3274d9">holds</i></p>';
  expect(bodyOf(panels, 'Holder of each VIP over time')).toContain(state);
});

test('a line has a gap where a value is missing', async () => {
  const panels = await askPanels(async () => [{ labels, points: onesAt(0, 2, 10, 12) }], range);
  expect(bodyOf(panels, 'Failed connections to API servers')).toMatch(
    /d="M0.00 [\d.]+L3.33 [\d.]+M16.67 [\d.]+L20.00 [\d.]+"/,
  );
});

test.each([
  [[0, 2.4], 'none', [0, 1, 2, 3]],
  [[0, 0], 'none', [0, 0.5, 1]],
  [[0, 90_000], 's', [0, 36_000, 72_000, 108_000]],
])('the values %j in %s are between round ticks', (values, unit, ticks) => {
  expect(scaleFor(values, unit).ticks).toEqual(ticks);
});

test.each([
  [0.25, 'percentunit', '25 %'],
  [0.0125, 's', '12.5 ms'],
  [86_400, 's', '24 h'],
  [3_456_000, 's', '40 d'],
  [3, 'pps', '3 p/s'],
])('%d in %s reads "%s"', (value, unit, text) => {
  expect(shown(value, unit)).toBe(text);
});
