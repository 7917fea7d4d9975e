import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { isAlive } from '../../../src/engine/system/process/processes.ts';
import { addAddress, connectPair, connectSegment, createNetNamespace } from '../../helpers/net-namespace.ts';
import {
  countKinds,
  descendantsOf,
  memoryOf,
  readProcesses,
  stopProcesses,
} from '../../helpers/process-tree.ts';
import { waitFor } from '../../helpers/wait-for.ts';

test('a removed namespace takes its processes with it, orphans too, and may be removed twice', async () => {
  const namespace = await createNetNamespace();
  const [file, ...prefix] = namespace.prefix;
  // The shell ends at once: its sleep has no parent here.
  spawn(file, [...prefix, 'sh', '-c', 'sleep 300 & sleep 0.1'], { stdio: 'ignore' });
  const [orphan] = await waitFor('the orphan', () => {
    const inside = readProcesses(namespace.residents()).filter(({ argv }) => argv[1] === '300');
    return inside.length === 1 && namespace.residents().length === 1 && inside;
  });
  await namespace.remove();
  await namespace.remove();
  if (orphan === undefined) throw new Error('no orphan');
  await waitFor('the orphan to be gone', () => !isAlive(orphan.id));
  expect(existsSync(`/run/netns/${namespace.name}`)).toBe(false);
});

test('a test that is killed leaves no namespace and no process behind', async () => {
  const helper = new URL('../../helpers/net-namespace.ts', import.meta.url).href;
  const script = `const { createNetNamespace } = await import(${JSON.stringify(helper)});
    const { spawn } = await import('node:child_process');
    const { once } = await import('node:events');
    const { name, prefix } = await createNetNamespace();
    const child = spawn(prefix[0], [...prefix.slice(1), 'sh', '-c', 'echo; exec sleep 300 >&-']);
    await once(child.stdout, 'data');
    console.log(name, child.pid); process.kill(process.pid, 'SIGKILL');`;
  const result = spawnSync(process.execPath, ['--input-type=module', '-e', script], { encoding: 'utf8' });
  const [name = '', pid = ''] = result.stdout.trim().split(' ');
  expect(name).toMatch(/^hawser-\d+-1$/);
  await waitFor('the namespace to be removed', () => !existsSync(`/run/netns/${name}`));
  await waitFor('its process to be gone', () => readProcesses([Number(pid)]).length === 0);
});

test('namespaces reach each other by a cable and by a segment, over IPv4 and IPv6, and no other host', async () => {
  await using a = await createNetNamespace();
  await using b = await createNetNamespace();
  await connectPair(
    { namespace: a, device: 'cable', addresses: ['10.9.0.1/24', 'fd09::1/64'] },
    { namespace: b, device: 'cable', addresses: ['10.9.0.2/24', 'fd09::2/64'] },
  );
  await using _ = await connectSegment([
    { namespace: a, device: 'eth0', addresses: ['10.8.0.1/24'] },
    { namespace: b, device: 'eth0', addresses: ['10.8.0.2/24'] },
  ]);
  await addAddress(b, 'eth0', 'fd08::2/64');
  await addAddress(a, 'eth0', 'fd08::1/64');
  for (const address of ['10.9.0.2', 'fd09::2', '10.8.0.2', 'fd08::2'])
    expect(await refusalFrom(a.prefix, address)).toContain('Connection refused');
  expect(await refusalFrom(a.prefix, '192.0.2.1')).toContain('unreachable');
});

test('descendants are sorted by kind, measured, and stopped', async () => {
  const deaf = `process.on("SIGTERM", () => {}); setInterval(() => {}, 1e9); console.log("deaf")`;
  const child = spawn('sh', ['-c', '"$0" -e "$1"; :', process.execPath, deaf], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const pid = child.pid ?? 0;
  const own = () => [...readProcesses([pid]), ...descendantsOf(pid)];
  await once(child.stdout, 'data');
  expect(countKinds(own())).toMatchObject({ node: 1, other: 1, 'haproxy-master': 0 });
  const memory = memoryOf(descendantsOf(pid));
  expect(memory.anonymous).toBeGreaterThan(1_000);
  expect(memory.rss).toBeGreaterThan(memory.anonymous);
  const ids = own().map(({ id }) => id);
  await stopProcesses(ids, 200);
  expect(ids.some(isAlive)).toBe(false);
});

test('a pid that was handed out again is not stopped', async () => {
  const child = spawn('sleep', ['300']);
  const [found] = await waitFor('the sleep', () => {
    const list = readProcesses([child.pid ?? 0]);
    return list.length === 1 && list;
  });
  if (found === undefined) throw new Error('no process');
  await stopProcesses([{ ...found.id, startTicks: found.id.startTicks - 1 }], 100);
  expect(isAlive(found.id)).toBe(true);
  await stopProcesses([found.id]);
});

test('the shell daemon, which finds processes by name, refuses to run while others exist', () => {
  const script = fileURLToPath(new URL('../../fixtures/shell-daemon.sh', import.meta.url));
  const result = spawnSync('bash', [script], { encoding: 'utf8', env: { PATH: process.env['PATH'] ?? '' } });
  expect(result.status).toBe(2);
  expect(result.stderr).toContain('expected PID 1 of a pid namespace of its own');
});

async function refusalFrom(prefix: readonly [string, ...string[]], address: string): Promise<string> {
  const [file, ...before] = prefix;
  const child = spawn(file, [...before, 'bash', '-c', `exec 3<>/dev/tcp/${address}/1`]);
  let text = '';
  child.stderr.on('data', (data) => {
    text += data;
  });
  await new Promise((resolve) => child.once('close', resolve));
  return text;
}
