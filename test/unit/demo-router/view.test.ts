import { expect, it } from 'vitest';
import type { Paint } from '../../../scripts/demo/view-parts.ts';
import { COLUMNS } from '../../../scripts/demo/view-parts.ts';
import { type RouterScene, renderView, type ShownRoute } from '../../../scripts/demo-router/view.ts';
import { scene as frame } from '../demo/scene.ts';

const plain: Paint = (_style, text) => text;
const edge: ShownRoute = {
  name: 'shop/edge',
  kind: 'edge',
  admitted: 'yes',
  pods: new Map([
    ['web-2', 21],
    ['web-1', 29],
  ]),
};
const thief: ShownRoute = {
  ...{ name: 'blog/thief', kind: 'http', admitted: 'HostAlreadyClaimed', pods: undefined },
};
const scene: RouterScene = { ...frame, routes: [edge, thief] };

it('shows which routes are admitted and who answers', () => {
  const text = renderView(scene, plain).join('\n');
  expect(text).toMatch(/^shop\/edge +edge +yes +web-1 29 {2}web-2 21$/m);
  expect(text).toMatch(/^blog\/thief +http +HostAlreadyClaimed +not asked$/m);
  expect(text).toMatch(/^7 +4242 +serving +3\.1 s +4$/m);
});

it('has as many lines with many routes as with none, none wider than 80 columns', () => {
  const long = { ...edge, name: 'x'.repeat(99), admitted: 'x'.repeat(99) };
  const crowded = renderView({ ...scene, routes: Array.from({ length: 9 }, () => long) }, plain);
  expect(renderView({ ...scene, routes: [] }, plain)).toHaveLength(crowded.length);
  expect(Math.max(...crowded.map((line) => line.length))).toBeLessThanOrEqual(COLUMNS);
});

it('paints a route that is not admitted as bad', () => {
  const bad: string[] = [];
  renderView(scene, (style, text) => (style === 'bad' ? String(bad.push(text)) : text));
  expect(bad).toEqual([expect.stringMatching(/^blog\/thief/)]);
});
