import { expect, test } from 'vitest';
import { dashboard } from '../../helpers/monitoring/shipped.ts';

const panels = dashboard.panels.filter(({ type }) => type !== 'row');

test('the data source is a variable', () => {
  const sources = dashboard.templating.list.filter(({ type }) => type === 'datasource');
  expect(sources.map(({ name }) => name)).toEqual(['datasource']);
});

test.each(panels)(
  "$title has a description, a unit, a name for each line, and the variable's data source",
  (panel) => {
    expect(panel.description?.length).toBeGreaterThan(20);
    expect(panel.fieldConfig?.defaults.unit).toMatch(/\w/);
    expect(panel.datasource?.uid).toMatch(/^\$\{datasource\}$/);
    for (const { legendFormat } of panel.targets ?? []) expect(legendFormat).not.toBe('');
  },
);

test('no panel covers another, and each has a unique id', () => {
  const cells = dashboard.panels.flatMap(({ gridPos: { x, y, w, h } }) =>
    Array.from({ length: w * h }, (_, index) => `${x + (index % w)},${y + Math.floor(index / w)}`),
  );
  expect(new Set(cells).size).toBe(cells.length);
  expect(new Set(dashboard.panels.map(({ id }) => id)).size).toBe(dashboard.panels.length);
});
