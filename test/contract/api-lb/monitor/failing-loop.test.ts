import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeEach, expect, test } from 'vitest';
import { testFolder } from '../../../helpers/test-folder.ts';
import { waitFor } from '../../../helpers/wait-for.ts';

const program = fileURLToPath(new URL('../../../fixtures/monitor/failing-loop.ts', import.meta.url));

let directory: string;
beforeEach(() => {
  directory = testFolder();
});
interface Ended {
  readonly code: number | null;
  readonly lines: readonly string[];
}

function start(how: string, prefix: readonly string[] = []) {
  const argv = [...prefix, process.execPath, program, directory, how];
  const child = spawn('env', argv, { stdio: ['ignore', 'ignore', 'pipe'] });
  let text = '';
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk;
  });
  const ended = async (): Promise<Ended> => {
    const [code] = await once(child, 'close');
    return { code, lines: text.trim().split('\n') };
  };
  return { child, ended: ended() };
}

test.each([
  ['throw', 'configuration'],
  ['uncaught', undefined],
])(
  'a monitor with a failing loop (%s) stops the others, names the loop once, and exits with 1',
  async (how, loop) => {
    const { code, lines } = await start(how).ended;
    expect(code).toBe(1);
    expect(lines).toHaveLength(1);
    const line: unknown = JSON.parse(lines[0] ?? '');
    expect(line).toMatchObject({
      event: 'monitor-failed',
      level: 'error',
      message: 'an unexpected exception',
    });
    expect(line).toEqual(expect.objectContaining(loop === undefined ? {} : { loop }));
    expect(existsSync(join(directory, 'removed'))).toBe(true);
  },
);

test('a monitor whose preparation fails exits despite open handles', async () => {
  const { code, lines } = await start('prepare').ended;
  expect(code).toBe(1);
  expect(lines.join('\n')).toContain('the port is taken');
});

test('a monitor that is asked to stop exits with 0 despite open handles', async () => {
  const { child, ended } = start('stop');
  await waitFor('the monitor to run', () => existsSync(join(directory, 'running')));
  child.kill('SIGTERM');
  const { code, lines } = await ended;
  expect(code).toBe(0);
  expect(lines.map((line) => JSON.parse(line).event)).toEqual(['stopping', 'monitor-stopped']);
  expect(existsSync(join(directory, 'removed'))).toBe(true);
});

test.each(['replaced', 'waiting'])(
  'a monitor whose mounted file is replaced on the node exits, so that it is restarted with the new file (%s)',
  async (how) => {
    const at = (name: string) => join(directory, name);
    for (const name of ['node', 'mounted']) writeFileSync(at(name), 'old');
    const mount = 'mount --bind "$1" "$2" && shift 2 && exec "$@"';
    const container = ['unshare', '--mount', '--propagation', 'private', 'sh', '-c', mount, 'container'];
    const { ended } = start(how, [...container, at('node'), at('mounted')]);
    await waitFor('the monitor to run', () => existsSync(at('running')));
    writeFileSync(at('node.new'), 'new');
    renameSync(at('node.new'), at('node'));
    const { code, lines } = await ended;
    expect(code).toBe(1);
    expect(lines.map((line) => JSON.parse(line))).toEqual([
      expect.objectContaining({
        event: 'monitor-failed',
        message: expect.stringContaining('mounted" was replaced on the node'),
      }),
    ]);
    expect(existsSync(at('removed'))).toBe(how === 'replaced');
  },
);
