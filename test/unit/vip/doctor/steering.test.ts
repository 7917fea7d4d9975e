import { expect, test } from 'vitest';
import { steeringOrderText } from '../../../../src/vip/steering/steering-file.ts';
import type { SteeringOrder } from '../../../../src/vip/steering/vrrp-steering.ts';
import { examine } from '../../../helpers/doctor/scene.ts';

const path = '/etc/keepalived/vrrp-steering.json';
const hourMs = 3_600_000;
const asked = (agoMs: number) => ({
  ...{ id: '0123456789abcdef', by: 'root@cp-1', why: 'kernel' },
  atMs: Date.now() - agoMs,
});
const drained = (agoMs: number): SteeringOrder => ({
  kind: 'drain',
  ...asked(agoMs),
  vips: ['api', 'ingress'],
});
const drill = (agoMs: number): SteeringOrder => ({
  ...{ kind: 'move', ...asked(agoMs), purpose: 'drill', vip: 'api', first: 'yield' },
  ...{ backAtMs: undefined, untilMs: Date.now() - agoMs + 40_000 },
});

test.each<[string, string | undefined, string, RegExp]>([
  ['no order', undefined, 'ok', /^no order stands/],
  [
    'a drain of today',
    steeringOrderText(drained(2 * hourMs)),
    'ok',
    /^this node is drained \(api, ingress\) by root@cp-1/,
  ],
  ['one that was forgotten', steeringOrderText(drained(25 * hourMs)), 'warn', /since 20.*: kernel$/],
  ['a drill', steeringOrderText(drill(5_000)), 'ok', /^a drill is under way by root@cp-1/],
  ['one that is not carried out', steeringOrderText(drill(hourMs)), 'warn', /should be over/],
  ['half an order', steeringOrderText(drill(0)).slice(0, 30), 'warn', /orders nothing: it is no JSON/],
])('steering: %s', async (_, text, kind, found) => {
  const finding = await examine('steering', text === undefined ? {} : { [path]: text });
  expect(finding.kind).toBe(kind);
  expect(finding.found).toMatch(found);
});
