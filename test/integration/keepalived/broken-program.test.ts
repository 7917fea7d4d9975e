import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type Breakage, copyProgram } from '../../helpers/broken-program.ts';
import {
  createVrrpPair,
  startHolder,
  type VrrpNode,
  type VrrpSupervisorProcess,
} from '../../helpers/keepalived-node.ts';
import { waitFor } from '../../helpers/wait-for.ts';

/** Without a realtime priority, `spawn` itself notices what is wrong with the program, not `chrt`. */
const DIRECTLY = ['--realtime-priority', 'off'];

async function restarted(node: VrrpNode, supervisor: VrrpSupervisorProcess): Promise<void> {
  await supervisor.waitForState('MASTER');
  node.install();
  expect(await supervisor.ask('reload')).toMatchObject({ ok: true });
  supervisor.kill('SIGTERM');
  expect(await supervisor.ended).toBe(0);
  expect(await node.holdsVip()).toBe(false);
}

const ways: readonly Breakage[] = ['ETXTBSY', 'ENOTDIR', 'ELOOP', 'ENOENT', 'ENOEXEC', 'segmentation fault'];

test.each(ways)(
  'keepalived dies while its program cannot be started (%s): it is back once the program works',
  async (way) => {
    await using pair = await createVrrpPair();
    const [a] = pair.nodes;
    const program = copyProgram('/usr/sbin/keepalived', a.paths.dir);
    a.install();
    const supervisor = a.supervise([...DIRECTLY, '--keepalived', program.path]);
    await supervisor.waitForState('MASTER');
    const { current } = await supervisor.status();

    program.break(way);
    process.kill(current?.pid ?? 0, 'SIGKILL');
    const refused = () => a.events('keepalived-died').length + a.events('configuration-refused').length;
    await waitFor('starts to be refused', () => refused() >= 2);
    expect(await supervisor.ask('reload')).toMatchObject({ ok: false });

    program.repair();
    await restarted(a, supervisor);
    expect(a.events('internal-error')).toEqual([]);
  },
);

test('a pid file that cannot be removed keeps keepalived from starting, and breaks nothing else', async () => {
  await using pair = await createVrrpPair();
  const [a] = pair.nodes;
  a.install();
  const inTheWay = join(a.paths.dir, 'keepalived.pid');
  mkdirSync(join(inTheWay, 'folder'), { recursive: true });
  const supervisor = a.supervise();
  await waitFor('starts to be refused', () => a.events('configuration-refused').length > 0);
  expect(await supervisor.status()).toMatchObject({ lastFailure: { stage: 'start' } });
  expect(a.events('internal-error')[0]).toMatchObject({ during: 'action start' });
  rmSync(inTheWay, { recursive: true });
  await restarted(a, supervisor);
});

test('a dump that cannot be removed fails the reload that waits for it, and the next reload works', async () => {
  await using pair = await createVrrpPair();
  const [a] = pair.nodes;
  const supervisor = await startHolder(a);
  const inTheWay = join(a.paths.dir, 'dump/keepalived.data');
  rmSync(inTheWay, { force: true });
  mkdirSync(inTheWay);
  expect(await supervisor.ask('reload')).toMatchObject({ ok: false, stage: 'prove' });
  rmSync(inTheWay, { recursive: true });
  await restarted(a, supervisor);
});
