import { beforeEach, expect, test } from 'vitest';
import type { LogEvent } from '../../../../src/engine/system/log.ts';
import { reportRemarks } from '../../../../src/router/serve/report-remarks.ts';
import type { RouterObserver } from '../../../../src/router/serve/router-observer.ts';
import { routeCounts } from '../../../../src/router/serve/router-status.ts';
import { decided, routeObject } from '../objects-of.ts';

const TIMEOUT = 'haproxy.router.openshift.io/timeout';
const BALANCE = 'haproxy.router.openshift.io/balance';

let lines: LogEvent[];
let observer: Pick<RouterObserver, 'onDecision'>;
beforeEach(() => {
  lines = [];
  observer = reportRemarks(
    (line) => void lines.push(line),
    () => 0,
  );
});

const routeWith = (name: string, annotations: Readonly<Record<string, string>>) =>
  routeObject({ name, host: `${name}.test`, annotations });
const tell = (...routes: readonly ReturnType<typeof routeWith>[]) =>
  observer.onDecision?.(decided(routes), new Set());
const told = () => lines.map(({ route, message }) => `${route} ${String(message).split(':')[0]}`);

test('an ignored annotation is reported once per route, whatever the number of decisions', () => {
  const wrong = routeWith('a', { [TIMEOUT]: 'soon' });
  tell(wrong, routeWith('b', {}));
  tell(wrong, routeWith('b', { [TIMEOUT]: '5s' }));
  expect(lines).toEqual([
    {
      event: 'route-remark',
      level: 'warn',
      route: 'shop:a',
      message: expect.stringMatching(`^${TIMEOUT}: ignored, expected `),
    },
  ]);
  tell(routeWith('a', { [TIMEOUT]: 'soon', [BALANCE]: 'best' }), routeWith('b', { [TIMEOUT]: 'late' }));
  tell(wrong, routeWith('b', {}));
  expect(told()).toEqual([`shop:a ${TIMEOUT}`, `shop:a ${BALANCE}`, `shop:b ${TIMEOUT}`]);
});

test("a service without pods is not an owner's mistake", () => {
  const decision = decided([routeWith('a', {})]);
  expect(decision.model.backends[0]?.remarks).toEqual([expect.stringContaining('has no ready endpoints')]);
  tell(routeWith('a', {}));
  expect(lines).toEqual([]);
  expect(routeCounts({ decision, leftOut: [] }).ignoring).toEqual({ routes: 0, first: [] });
});

test('beyond a thousand remarks one line is logged, and the status counts all', () => {
  const wrong = Array.from({ length: 1_005 }, (_, index) => routeWith(`r${index}`, { [TIMEOUT]: 'soon' }));
  for (let round = 0; round < 3; round += 1) tell(...wrong);
  const events = Map.groupBy(lines, ({ event }) => event);
  expect([events.get('route-remark')?.length, events.get('route-remarks')?.length]).toEqual([1_000, 1]);
  const { ignoring } = routeCounts({ decision: decided(wrong), leftOut: [] });
  expect([ignoring.routes, ignoring.first.length]).toEqual([1_005, 10]);
});
