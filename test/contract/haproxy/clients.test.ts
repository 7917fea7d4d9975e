import { execFile } from 'node:child_process';
import { connect, type Socket } from 'node:net';
import { expect, test } from 'vitest';
import { supervisorStatusSchema } from '../../../src/haproxy/supervise/supervisor-status.ts';
import { descendantsOf } from '../../helpers/process-tree.ts';
import { hawser } from '../../helpers/supervisor-build.ts';
import { createSupervisedHost } from '../../helpers/supervisor-host.ts';
import { waitFor } from '../../helpers/wait-for.ts';

interface Ran {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

function client(...args: string[]): Promise<Ran> {
  return new Promise((resolve) => {
    execFile(hawser, ['haproxy', ...args], (error, stdout, stderr) => {
      resolve({ code: error === null ? 0 : Number(error.code), stdout, stderr });
    });
  });
}

test('100 idle clients cost no process, and status still answers', async () => {
  await using host = await createSupervisedHost();
  host.install('v1');
  const supervisor = host.supervise();
  await supervisor.waitForServing();
  const before = descendantsOf(supervisor.pid).length;
  const idle = await Promise.all(Array.from({ length: 100 }, () => connected(host.paths.socket)));
  expect(descendantsOf(supervisor.pid)).toHaveLength(before);
  expect(await supervisor.status()).toMatchObject({ phase: 'serving' });
  expect(await supervisor.reload()).toMatchObject({ ok: true });
  supervisor.kill('SIGTERM');
  expect(await supervisor.ended).toBe(0);
  for (const socket of idle) socket.destroy();
});

function connected(path: string): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect(path);
    socket.once('connect', () => resolve(socket));
    socket.once('error', reject);
  });
}

test('the client commands print the outcome and exit accordingly', async () => {
  await using host = await createSupervisedHost();
  const socket = ['--socket', host.paths.socket];
  expect(await client('reload', ...socket)).toMatchObject({
    code: 1,
    stdout: '',
    stderr: expect.stringContaining('Cannot reach the supervisor'),
  });

  const supervisor = host.supervise();
  await waitFor('the supervisor to listen', async () => (await supervisor.status()).phase !== 'stopped');
  const waiting = await client('status', ...socket);
  expect(waiting).toMatchObject({ code: 1, stderr: '' });
  expect(waiting.stdout).toContain('waiting-for-configuration');

  host.install('v1');
  const reloaded = await client('reload', ...socket);
  expect(reloaded).toMatchObject({ code: 0, stderr: '' });
  expect(reloaded.stdout).toMatch(/^generation 1 serves, pid \d+, after \d+ ms\n$/);

  host.install('v2', { more: 'nonsense\n' });
  const refused = await client('reload', ...socket);
  expect(refused).toMatchObject({ code: 1, stdout: '' });
  expect(refused.stderr).toMatch(/^refused at "check": [\s\S]*unknown keyword 'nonsense'/);

  const structured = await client('reload', '--json', ...socket);
  expect(structured).toMatchObject({ code: 1, stderr: expect.stringContaining('refused') });
  expect(JSON.parse(structured.stdout)).toMatchObject({ ok: false, stage: 'check' });

  const shown = await client('status', ...socket);
  expect(shown.code).toBe(0);
  expect(shown.stdout).toMatch(/^state {7}serving\nserving {5}generation 1, pid \d+/);
  expect(shown.stdout).toContain("unknown keyword 'nonsense'");
  const json = await client('status', '--json', ...socket);
  expect(supervisorStatusSchema.parse(JSON.parse(json.stdout)).current?.generation).toBe(1);

  expect(await client('status', '--nonsense')).toMatchObject({ code: 2, stdout: '' });
  expect(await client('reload', '--timeout', 'soon')).toMatchObject({ code: 2, stdout: '' });
});
