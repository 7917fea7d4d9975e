import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { askReadyz } from '../../../../src/engine/kube/ask-readyz.ts';
import { node } from '../../../helpers/api-server/objects.ts';
import {
  createTestCluster,
  type TestCluster,
  type Watching,
  watchNodes,
} from '../../../helpers/api-server/observing.ts';
import { waitFor } from '../../../helpers/wait-for.ts';

let cluster: TestCluster;
let seen: Watching | undefined;
const children: ChildProcess[] = [];

beforeEach(() => {
  cluster = createTestCluster();
});

afterEach(async () => {
  await seen?.stop();
  await Promise.all(
    children.splice(0).map(async (child) => {
      const exited = once(child, 'exit');
      child.kill('SIGTERM');
      await exited;
    }),
  );
  await cluster.remove();
});

/** Keeps the only thread that looks at files busy for seconds. */
const busyThread = `import { pbkdf2 } from 'node:crypto'; pbkdf2('', '', 3_000_000, 64, 'sha512', () => undefined);`;
const starved = {
  UV_THREADPOOL_SIZE: '1',
  NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(busyThread)}`,
};

async function startProgram(
  more: readonly string[],
  env: NodeJS.ProcessEnv = {},
): Promise<{ port: number; controlPort: number }> {
  const { certFile, keyFile } = cluster.authority.issue({ commonName: 'api', addresses: ['127.0.0.1'] });
  const main = fileURLToPath(new URL('../../../helpers/api-server/main.ts', import.meta.url));
  const args = [main, '--cert', certFile, '--key', keyFile, '--ca', cluster.authority.certFile, ...more];
  const child = spawn(process.execPath, args, {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, ...env },
  });
  children.push(child);
  for await (const line of createInterface({ input: child.stdout })) return JSON.parse(line);
  throw new Error('Cannot start the stand-in: it ended without output');
}

test('servers in several processes follow one state file', async () => {
  const state = join(cluster.dir, 'state.json');
  const write = (...objects: unknown[]) => {
    writeFileSync(`${state}.new`, JSON.stringify({ objects }));
    renameSync(`${state}.new`, state);
  };
  write(node('cp-1', ['10.0.0.1']));
  const first = await startProgram(['--state', state]);
  const second = await startProgram(['--state', state]);
  for (const { port } of [first, second]) {
    write(node('cp-1', ['10.0.0.1']));
    cluster.writeKubeconfig(`https://127.0.0.1:${port}`);
    seen = watchNodes(cluster);
    await seen.sees(['cp-1=10.0.0.1']);
    write(node('cp-1', ['10.0.0.1']), node('cp-2', ['10.0.0.2']));
    await seen.sees(['cp-1=10.0.0.1', 'cp-2=10.0.0.2'], 'watch');
    await seen.stop();
  }
});

test('a state that is written as soon as the server listens is followed, however starved the server is', async () => {
  const state = join(cluster.dir, 'state.json');
  writeFileSync(state, JSON.stringify({ objects: [] }));
  const { port } = await startProgram(['--state', state], starved);
  writeFileSync(state, JSON.stringify({ objects: [node('cp-1', ['10.0.0.1'])] }));
  cluster.writeKubeconfig(`https://127.0.0.1:${port}`);
  seen = watchNodes(cluster);
  await seen.sees(['cp-1=10.0.0.1']);
});

test('the control port sets objects and faults', async () => {
  const { port, controlPort } = await startProgram(['--control-port', '0', '--plain-http']);
  const control = async (method: string, path: string, body?: unknown) => {
    const url = `http://127.0.0.1:${controlPort}${path}`;
    const answer = await fetch(url, {
      method,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    expect(answer.status).toBe(200);
    return await answer.json();
  };
  cluster.writeKubeconfig(`https://127.0.0.1:${port}`);
  seen = watchNodes(cluster);
  const watching = seen;
  await waitFor('the first list', () => watching.observations.length > 0);
  await control('PUT', '/objects', node('cp-1', ['10.0.0.1']));
  await seen.sees(['cp-1=10.0.0.1'], 'watch');
  await control('DELETE', '/objects/Node/cp-1');
  await seen.sees([], 'watch');
  const { signal } = new AbortController();
  const probe = async (timeoutMs: number) =>
    (await askReadyz({ address: '127.0.0.1', port }, { timeoutMs, signal })).ok;
  expect(await probe(10_000)).toBe(true);
  for (const faults of [
    { starting: true },
    { starting: false, notReady: true },
    { notReady: false, stall: true },
    { stall: false, refuse: true },
  ]) {
    await control('PUT', '/faults', faults);
    expect(await probe(1_000)).toBe(false);
  }
  await control('PUT', '/faults', { refuse: false });
  expect(await probe(10_000)).toBe(true);
  expect(await control('GET', '/served')).toMatchObject({ requests: expect.any(Number) });
});
