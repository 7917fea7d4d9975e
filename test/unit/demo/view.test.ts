import { expect, it } from 'vitest';
import type { Scene } from '../../../scripts/demo/scene.ts';
import { renderView } from '../../../scripts/demo/view.ts';
import { COLUMNS, eventLine, type Paint } from '../../../scripts/demo/view-parts.ts';
import { generation, scene, server } from './scene.ts';

const plain: Paint = (_style, text) => text;

it('shows servers, generations, requests and the redirect', () => {
  const text = renderView(scene, plain).join('\n');
  expect(text).toMatch(/round 2 {3}01:02$/m);
  expect(text).toMatch(/^step 3 of 7: cp-2 is killed +1\.5 s$/m);
  expect(text).toMatch(/^cp-1 +10\.77\.0\.11:6443 +running +UP L7OK +50 % #{10}$/m);
  expect(text).toMatch(/^cp-2 +10\.77\.0\.11:6443 +stopped +DOWN L4CON +0 %$/m);
  expect(text).toMatch(/^7 +4242 +serving +3\.1 s +4$/m);
  expect(text).toMatch(/^6 +4242 +draining +3\.1 s +4 +ends within 118 s$/m);
  expect(text).toContain('1240 ok   0 lost   3 cut');
  expect(text).toContain('10.77.0.100:6443 -> 9445   present');
  expect(text).toContain('PAGE        http://127.0.0.1:9446/ ');
  expect(text).toContain('01:01  HAProxy: cp-2 is DOWN (L4CON)');
});

it('has the same number of lines whatever there is to show, so that nothing jumps', () => {
  const empty: Scene = { ...scene, step: undefined, servers: [], generations: [], events: [] };
  const crowded: Scene = {
    ...scene,
    servers: Array.from({ length: 9 }, () => server),
    generations: Array.from({ length: 9 }, () => generation),
    events: Array.from({ length: 9 }, () => ({ atMs: 0, text: 'x' })),
  };
  const height = renderView(scene, plain).length;
  expect(renderView(empty, plain)).toHaveLength(height);
  expect(renderView(crowded, plain)).toHaveLength(height);
  expect(renderView(crowded, plain).join('\n')).toContain('... and 6 more');
});

it('is never wider than 80 columns, however long names and numbers get', () => {
  const long = 'x'.repeat(100);
  const wide: Scene = {
    ...scene,
    step: { number: 3, of: 7, title: long, sinceMs: 1e9 },
    servers: [{ ...server, name: long, address: long, status: long, check: long, share: 1 }],
    generations: [{ ...generation, number: 1e9, pid: 1e9, ageMs: 1e12, note: long }],
    counts: { ok: 9_999_999, cut: 999, lost: 999 },
    slowestMs: 8_000,
    events: [{ atMs: 1e9, text: long }],
  };
  const widths = renderView(wide, plain).map((line) => line.length);
  expect(Math.max(...widths)).toBeLessThanOrEqual(COLUMNS);
  expect(eventLine({ atMs: 0, text: long })).toHaveLength(COLUMNS);
});

it('paints a lost request and a missing redirect as bad', () => {
  const bad: string[] = [];
  const paint: Paint = (style, text) => {
    if (style === 'bad') bad.push(text);
    return text;
  };
  renderView({ ...scene, servers: [], redirect: false, counts: { ok: 1, cut: 0, lost: 2 } }, paint);
  expect(bad).toEqual(['2 lost', 'absent']);
});
