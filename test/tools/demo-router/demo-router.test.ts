import { expect, it, onTestFinished } from 'vitest';
import { waitFor } from '../../helpers/wait-for.ts';
import { type DemoRun, expectNothingLeft, runDemo } from '../demo/demo-run.ts';

const ROUND_MS = 170_000;

/** Starts the demo and resolves once everything runs under load. */
async function start(...args: readonly string[]): Promise<DemoRun> {
  const run = await runDemo('demo-router', ...args);
  onTestFinished(run.end);
  await waitFor('the second step', () => run.output().includes('step 2 of 7'), 90_000).catch((error) => {
    throw new Error(`Cannot see the second step:\n${run.output()}`, { cause: error });
  });
  const kinds = run.remember().map(({ kind }) => kind);
  expect(kinds).toEqual(expect.arrayContaining(['haproxy-master', 'haproxy-worker', 'node']));
  return run;
}

it('one round rejects three routes, loses no request and leaves nothing behind', {
  timeout: ROUND_MS,
}, async () => {
  const run = await start('--once');
  const code = await run.exited;
  expect(run.output()).not.toContain('lost a request');
  expect(run.output()).toMatch(/^its key is of another one +ExtendedValidationFailed .* 0$/m);
  expect(run.output()).toMatch(/^a path is claimed twice +HostAlreadyClaimed .* 0$/m);
  expect(run.output()).toMatch(/^HAProxy refuses a route +ConfigurationRefused .* 0$/m);
  expect(run.output()).toMatch(/^pods restart, one crashes +both are back, .* 0$/m);
  expect(code).toBe(0);
  await expectNothingLeft(run);
});

it('Ctrl-C mid-round leaves nothing behind', { timeout: ROUND_MS }, async () => {
  const run = await start();
  run.signal('SIGINT');
  expect(await run.exited).toBe(0);
  await expectNothingLeft(run);
});
