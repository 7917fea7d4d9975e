import { expect, it, onTestFinished } from 'vitest';
import { waitFor } from '../../helpers/wait-for.ts';
import { type DemoRun, expectNothingLeft, runDemo } from './demo-run.ts';

const ROUND_MS = 150_000;

async function start(...args: readonly string[]): Promise<DemoRun> {
  const run = await runDemo('demo', ...args);
  onTestFinished(run.end);
  return run;
}

/** Resolves once everything runs and a server has been killed, the busiest moment. */
async function untilInTheMiddle(run: DemoRun): Promise<void> {
  await waitFor('a server to be killed', () => run.output().includes('step 2 of 7'));
  const kinds = new Set(run.remember().map(({ kind }) => kind));
  expect([...kinds]).toEqual(expect.arrayContaining(['haproxy-master', 'haproxy-worker', 'node']));
}

/** Without counters, which also count traffic unrelated to the demo. */
const rulesOfItsMachine = ({ namespace }: DemoRun) => namespace.run('nft', '-s', 'list', 'ruleset');

it('one round loses no request, says so and leaves nothing behind', { timeout: ROUND_MS }, async () => {
  const run = await start('--once');
  const rules = await rulesOfItsMachine(run);
  await untilInTheMiddle(run);
  expect(await rulesOfItsMachine(run)).toBe(rules);
  const code = await run.exited;
  expect(run.output()).toMatch(/^cp-2 is killed +others serve, then it is DOWN .* 0$/m);
  expect(run.output()).not.toContain('lost a request');
  expect(code).toBe(0);
  await expectNothingLeft(run);
  expect(await rulesOfItsMachine(run)).toBe(rules);
});

it.each([
  ['SIGINT', 0],
  ['SIGTERM', 0],
] as const)('%s mid-round leaves nothing behind', { timeout: ROUND_MS }, async (signal, code) => {
  const run = await start();
  await untilInTheMiddle(run);
  run.signal(signal);
  expect(await run.exited).toBe(code);
  expect(run.output()).toContain('stopping: ');
  await expectNothingLeft(run);
});

it('an interrupted round is not a success', { timeout: ROUND_MS }, async () => {
  const run = await start('--once');
  await waitFor('the demo to start', () => run.output().includes('starting'));
  run.signal('SIGINT');
  expect(await run.exited).toBe(130);
  await expectNothingLeft(run);
});

it('SIGKILL mid-round leaves nothing behind', { timeout: ROUND_MS }, async () => {
  const run = await start();
  await untilInTheMiddle(run);
  run.signal('SIGKILL');
  expect(await run.exited).toBe('SIGKILL');
  await expectNothingLeft(run);
});

it('an unknown option is a usage error and starts nothing', async () => {
  const run = await start('--twice');
  expect(await run.exited).toBe(2);
  expect(run.output()).toContain('--twice');
  await expectNothingLeft(run);
});
