import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { products } from '../../../../src/commands/products.ts';
import { ok } from '../../../../src/engine/examine/check.ts';
import type { DoctorCheck } from '../../../../src/operate/doctor/context.ts';
import { runChecks } from '../../../../src/operate/doctor/examine.ts';
import { checksOf } from '../../../../src/operate/doctor/registry.ts';
import { reportLines, reportOf } from '../../../../src/operate/doctor/report-lines.ts';
import { exitCodeOf } from '../../../../src/operate/exit-code.ts';
import { contextOf, temporaryRoot } from '../../../helpers/doctor/scene.ts';

const checks = checksOf(products);

function check(id: string, run: DoctorCheck['run']): DoctorCheck {
  return { id, title: id, why: 'because', run };
}

const fine = check('fine', async () => ok('healthy'));
const throwing = check('throwing', async () => {
  throw new Error('no such device');
});
const hanging = check('hanging', () => new Promise(() => undefined));
const failing = check('failing', async () => ({ kind: 'fail', message: 'it burns', remedy: 'put it out' }));
const warning = check('warning', async () => ({
  kind: 'warn',
  message: 'it smokes',
  remedy: 'open a window',
}));

async function report(...list: readonly DoctorCheck[]) {
  const { signal } = new AbortController();
  const results = await runChecks(list, contextOf(temporaryRoot({}), {}, signal), 50);
  return reportOf(results, 1_234);
}

test('a check that throws or hangs is reported as "cannot tell", with the reason', async () => {
  const { checks: shown } = await report(throwing, hanging, fine);
  expect(shown.map(({ verdict, message }) => [verdict, message])).toEqual([
    ['unknown', 'no such device'],
    ['unknown', 'no answer within 50 ms'],
    ['ok', 'healthy'],
  ]);
});

test('the time for listening does not count towards the time limit', async () => {
  const listening = check('listening', async () => {
    await pause(200);
    return ok('no advert came');
  });
  expect((await report({ ...listening, listenMs: 30_000 })).checks[0]?.message).toBe('no advert came');
  expect((await report(listening)).checks[0]?.message).toBe('no answer within 50 ms');
});

test('a check that listens for adverts gets the time it needs', () => {
  const listening = checks.filter(({ listenMs = 0 }) => listenMs >= 3_000).map(({ id }) => id);
  expect(listening.toSorted()).toEqual(['foreign-router-id', 'vip-holder', 'vrrp-adverts']);
});

test('a message from another program cannot control the terminal', async () => {
  const hostile = check('hostile', async () => ({
    kind: 'warn',
    message: '\u001b]0;x',
    remedy: 'a\u001b[8mb',
  }));
  const lines = reportLines(await report(hostile), { colours: false });
  expect(lines.join('\n')).toContain('hostile: ·]0;x');
  expect(lines.join('\n')).toContain('a·[8mb');
});

test('a stopped run reports the findings so far', async () => {
  const stop = new AbortController();
  const context = contextOf(temporaryRoot({}), {}, stop.signal);
  const stopping = check('stopping', async () => {
    setImmediate(() => stop.abort());
    return ok('healthy');
  });
  const { checks: shown } = reportOf(await runChecks([stopping, hanging], context, 30_000), 0);
  expect(shown.map(({ message }) => message)).toEqual(['healthy', 'it was stopped']);
});

test('a stopped check that has to clean up does so before the results are returned', async () => {
  const stop = new AbortController();
  const context = contextOf(temporaryRoot({}), {}, stop.signal);
  let isClean = false;
  const listening = check('listening', async ({ beforeExit }) => {
    setImmediate(() => stop.abort());
    await beforeExit(pause(50).then(() => (isClean = true)));
    return ok('no advert came');
  });
  const [result] = await runChecks([listening], context, 30_000);
  expect(result?.finding.message).toBe('it was stopped');
  expect(isClean).toBe(true);
});

test.each([
  [0, 'healthy', [fine, warning]],
  [1, 'degraded', [fine, failing, throwing]],
  [2, 'unknown', [fine, warning, throwing]],
] as const)('exit code %i is %s', async (code, verdict, list) => {
  const found = await report(...list);
  expect([found.verdict, exitCodeOf(found)]).toEqual([verdict, code]);
});

test('no line of a report exceeds 80 columns, except for a single longer word', async () => {
  const long = {
    kind: 'fail',
    message: 'word '.repeat(60),
    remedy: `type ${'/a'.repeat(50)} and go on`.repeat(2),
  } as const;
  const lines = reportLines(
    await report(
      check('long', async () => long),
      fine,
      throwing,
      warning,
    ),
    { colours: false },
  );
  expect(lines.filter((line) => line.length > 80 && !line.includes('/a/a'))).toEqual([]);
  expect(lines.some((line) => line.includes('/a/a'))).toBe(true);
});

test('colours are used only on request', async () => {
  const found = await report(failing);
  const start = '\u001b[';
  expect(reportLines(found, { colours: false }).join('')).not.toContain(start);
  expect(reportLines(found, { colours: true }).join('')).toContain(start);
});

test('every check has a unique id, a short title and a reason', () => {
  expect(new Set(checks.map(({ id }) => id)).size).toBe(checks.length);
  expect(checks.length).toBeGreaterThanOrEqual(20);
  for (const { id, title, why } of checks) {
    expect(id).toMatch(/^[a-z0-9]+(-[a-z0-9]+)*$/);
    expect(title.length, title).toBeLessThanOrEqual(28);
    expect(why, id).toMatch(/\.$/);
  }
});
