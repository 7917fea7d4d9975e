import { mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { monotonicMs } from '../../../src/engine/system/time/monotonic-clock.ts';
import { ports } from '../../helpers/supervisor-configuration.ts';
import { createSupervisedHost, type SupervisedHost } from '../../helpers/supervisor-host.ts';
import { waitFor } from '../../helpers/wait-for.ts';

interface BadFile {
  readonly name: string;
  readonly spoil: (host: SupervisedHost) => void;
  readonly stage: string;
  /** Part of the answer's message or detail. */
  readonly words: string;
}

const badFiles: readonly BadFile[] = [
  {
    name: 'with an unknown keyword',
    spoil: (host) => host.install('v2', { more: 'listen more\n  nonsense here\n' }),
    stage: 'check',
    words: "unknown keyword 'nonsense' in 'listen' section",
  },
  { name: 'that is missing', spoil: remove, stage: 'check', words: 'it does not exist' },
  {
    name: 'that is empty',
    spoil: (host) => writeFileSync(host.paths.config, ''),
    stage: 'check',
    words: 'it is empty',
  },
  {
    name: 'that is a directory',
    spoil: (host) => {
      remove(host);
      mkdirSync(host.paths.config);
    },
    stage: 'check',
    words: 'it is a directory',
  },
  {
    name: 'that cannot be read',
    spoil: (host) => {
      remove(host);
      symlinkSync(host.paths.config, host.paths.config);
    },
    stage: 'check',
    words: 'ELOOP',
  },
  {
    name: 'whose port is taken',
    spoil: (host) =>
      host.install('v2', { more: `listen more\n  bind 127.0.0.1:${ports.taken}\n  http-request deny\n` }),
    stage: 'start',
    words: 'it ended with exit code 1 before it served',
  },
  {
    name: 'whose stats socket is elsewhere',
    spoil: (host) => host.install('v2', { statsSocket: `${host.paths.dir}/elsewhere.sock` }),
    stage: 'prove',
    words: 'the stats socket had no answer from its workers within 4000 ms',
  },
];

/**
 * Only a generation that never proves itself is given up after the short timeout, and it serves clients until then. The others
 * need longer on a busy machine.
 */
const timesOf = (stage: string) =>
  stage === 'prove' ? { startMs: 4_000, deleteMs: 10_000 } : { startMs: 60_000, deleteMs: 1_000 };

test.each(badFiles)(
  'a file $name is refused at "$stage" without any loss',
  async ({ spoil, stage, words }) => {
    await using host = await createSupervisedHost();
    await host.serve(ports.taken);
    host.install('v1');
    const { startMs, deleteMs } = timesOf(stage);
    const times = ['--force-delete-timeout', `${deleteMs}ms`, '--start-timeout', `${startMs}ms`];
    const supervisor = host.supervise(times);
    const before = await supervisor.waitForServing();
    const load = await host.load({ ratePerSecond: 200, servers: ['v1', 'v2'] });
    spoil(host);
    const answer = await supervisor.reload();
    expect(answer).toMatchObject({ ok: false, stage });
    expect(`${answer.message}\n${answer.detail}`).toContain(words);
    expect(host.events('generation-refused')).toMatchObject([{ stage, stillServing: 1 }]);
    await host.waitForGenerations(1);
    const gone = monotonicMs();
    await waitFor('the force-delete timeout to pass', () => monotonicMs() > gone + deleteMs + 500);
    const { current, draining, lastFailure } = await supervisor.status();
    expect(current).toMatchObject({ generation: 1, pid: before.pid });
    expect(draining).toEqual([]);
    expect(lastFailure).toMatchObject({ stage });
    await host.waitForGenerations(1);
    expect((await load.stop()).lost).toEqual({});
    expect(readFileSync(host.paths.log, 'utf8')).not.toContain('internal-error');
  },
);

function remove(host: SupervisedHost): void {
  rmSync(host.paths.config);
}

test('after a refused file, the next good one is served', async () => {
  await using host = await createSupervisedHost();
  host.install('v1');
  const supervisor = host.supervise();
  await supervisor.waitForServing();
  remove(host);
  expect(await supervisor.reload()).toMatchObject({ ok: false, stage: 'check' });
  host.install('v2');
  expect(await supervisor.reload()).toMatchObject({ ok: true });
  expect((await supervisor.status()).lastFailure).toBeNull();
});

test('a missing haproxy binary is reported, and the old generation serves', async () => {
  await using host = await createSupervisedHost();
  host.install('v1');
  const program = join(host.paths.dir, 'haproxy');
  symlinkSync('/usr/sbin/haproxy', program);
  const supervisor = host.supervise(['--haproxy', program]);
  await supervisor.waitForServing();
  rmSync(program);
  expect(await supervisor.reload()).toMatchObject({ ok: false, message: expect.stringContaining(program) });
  expect(await supervisor.status()).toMatchObject({ current: { generation: 1 }, reload: null });
});
