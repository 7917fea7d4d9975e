import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { runCommand } from '../../../../src/engine/system/process/run-command.ts';
import { waitFor } from '../../../helpers/wait-for.ts';
import { type ApplyScene, createApplyScene, goodText, serving } from './apply-scene.ts';

const { signal } = new AbortController();

let scene: ApplyScene;
beforeEach(async () => {
  scene = await createApplyScene();
});
afterEach(async () => {
  await scene[Symbol.asyncDispose]();
});

const live = () => readFileSync(scene.configPath, 'utf8');

it('no reader ever sees a partly written file', async () => {
  await scene.serve();
  const deployer = scene.deployer();
  const texts = [goodText(1001), `${goodText(1002)}${'# filled up\n'.repeat(20_000)}`];
  await deployer.apply(goodText(1001), signal);
  const seen = new Set<string>();
  let done = false;
  let reads = 0;
  const reading = (async () => {
    while (!done) {
      seen.add(live());
      reads += 1;
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
  })();
  for (let round = 0; round < 10; round += 1) await deployer.apply(texts[round % 2] ?? '', signal);
  done = true;
  await reading;
  expect(reads).toBeGreaterThan(10);
  expect([...seen].filter((text) => !texts.includes(text))).toEqual([]);
});

it('a symbolic link is kept, and its target is replaced', async () => {
  await scene.serve();
  mkdirSync(join(scene.directory, 'data'));
  symlinkSync('data/real.cfg', scene.configPath);
  expect(await scene.deployer().apply(goodText(1001), signal)).toMatchObject({ kind: 'reloaded' });
  expect(await scene.deployer().apply(goodText(1002), signal)).toMatchObject({ kind: 'reloaded' });
  expect(lstatSync(scene.configPath).isSymbolicLink()).toBe(true);
  expect(readFileSync(join(scene.directory, 'data/real.cfg'), 'utf8')).toBe(goodText(1002));
});

it('leftovers of a killed monitor are removed, and nothing else', async () => {
  await scene.serve();
  const stale = [
    '.haproxy.cfg.0123456789abcdef',
    '.haproxy.cfg.candidate.0123456789abcdef',
    'haproxy.cfg.candidate',
  ];
  const kept = ['.haproxy.cfg.swp', '.other.cfg.0123456789abcdef', '.haproxy.cfg.00000000000000ff'];
  for (const name of [...stale, ...kept]) writeFileSync(join(scene.directory, name), 'half');
  for (const name of [...stale, ...kept.slice(0, 2)]) utimesSync(join(scene.directory, name), 0, 0);
  writeFileSync(scene.configPath, goodText());
  scene.answers.status = serving(goodText());
  expect(await scene.deployer().apply(goodText(), signal)).toEqual({ kind: 'unchanged' });
  const names = readdirSync(scene.directory);
  expect(names.filter((name) => stale.includes(name))).toEqual([]);
  expect(names).toEqual(expect.arrayContaining(kept));
});

describe('an HAProxy that cannot be run says nothing about the text', () => {
  const cases: readonly [string, (path: string) => void, string][] = [
    ['is missing', (path) => rmSync(path), 'ENOENT'],
    ['may not be executed', (path) => chmodSync(path, 0o644), 'EACCES'],
    ['is killed', (path) => writeFileSync(path, '#!/bin/sh\nkill -9 $$\n'), 'SIGKILL'],
  ];
  it.each(cases)('if it %s', async (_what, spoil, expected) => {
    await scene.serve();
    spoil(scene.haproxyPath);
    const deployer = scene.deployer();
    const outcome = await deployer.apply(goodText(), signal);
    expect(outcome).toMatchObject({ kind: 'failed', message: expect.stringContaining(expected) });
    expect(existsSync(scene.configPath)).toBe(false);
    expect(scene.requests).not.toContain('reload');
    writeFileSync(scene.haproxyPath, '#!/bin/sh\nexec haproxy "$@"\n');
    chmodSync(scene.haproxyPath, 0o755);
    await deployer.later('reloaded');
  });
});

describe('a file that cannot be replaced is a failure, and the live file stays', () => {
  it('if its directory is missing, until the directory exists', async () => {
    await scene.serve();
    const deployer = scene.deployer();
    rmSync(scene.configPath, { force: true });
    symlinkSync('missing/haproxy.cfg', scene.configPath);
    const outcome = await deployer.apply(goodText(), signal);
    expect(outcome).toMatchObject({ kind: 'failed', message: expect.stringContaining('ENOENT') });
    mkdirSync(join(scene.directory, 'missing'));
    await deployer.later('reloaded');
  });

  it('if a directory is at its path', async () => {
    mkdirSync(scene.configPath);
    const outcome = await scene.deployer().apply(goodText(), signal);
    expect(outcome).toMatchObject({ kind: 'failed', message: expect.stringContaining('it is a directory') });
  });

  it.each([
    ['on a full disk', 'dd if=/dev/zero of="$D/fill" bs=4k 2>/dev/null', 'ENOSPC'],
    ['on a read-only disk', 'mount -o remount,ro "$D"', 'EROFS'],
  ])('%s', async (_what, spoil, expected) => {
    const disk = 'mount -t tmpfs -o size=64k none "$D" && echo before > "$D/haproxy.cfg"';
    const { outcome, left } = await applyElsewhere(`${disk}; ${spoil}`);
    expect(outcome).toMatchObject({ kind: 'failed', message: expect.stringContaining(expected) });
    expect(left).toBe('before\n');
  });
});

describe('a file that is refused when the disk is full', () => {
  const refuse = async (how: string): Promise<unknown> => {
    const script = fileURLToPath(new URL('apply-refused.ts', import.meta.url));
    const run = 'mount -t tmpfs -o size=64k none "$2" && exec "$0" "$@"';
    const argv = ['unshare', '-m', 'sh', '-c', run, process.execPath, script] as const;
    const { stdout, stderr } = await runCommand([...argv, scene.directory, how], { timeoutMs: 30_000 });
    expect(stderr).toBe('');
    return JSON.parse(stdout);
  };
  const next = { outcome: { kind: 'reloaded' }, lies: 'next' };

  it.each([
    ['the check', 'updated'],
    ['the start', 'started'],
  ])('is replaced by the last good copy if %s refuses it', async (_what, when) => {
    expect(await refuse(when)).toMatchObject({
      refused: { outcome: { kind: 'rejected' }, lies: 'good' },
      next,
    });
  });
});

it('an aborted apply stops and leaves nothing behind', async () => {
  await scene.serve();
  writeFileSync(scene.haproxyPath, `#!/bin/sh\ntouch ${scene.directory}/running\nexec sleep 60\n`);
  const stop = new AbortController();
  const applying = scene.deployer().apply(goodText(), stop.signal);
  const rejection = expect(applying).rejects.toThrow('abort');
  await waitFor('the check to run', () => existsSync(join(scene.directory, 'running')));
  stop.abort();
  await rejection;
  expect(readdirSync(scene.directory).filter((name) => name.includes('haproxy.cfg'))).toEqual([]);
});

/** Applies in a separate mount namespace, prepared by the shell command `setUp`. `$D` is the configuration's directory there. */
async function applyElsewhere(setUp: string): Promise<{ readonly outcome: unknown; readonly left: string }> {
  const script = fileURLToPath(new URL('apply-once.ts', import.meta.url));
  const run = `D=${scene.directory}; ${setUp}; "${process.execPath}" "${script}" "$D/haproxy.cfg"; echo; cat "$D/haproxy.cfg"`;
  const { stdout, stderr } = await runCommand(['unshare', '-m', 'sh', '-c', run], { timeoutMs: 30_000 });
  const end = stdout.indexOf('\n');
  if (end === -1) throw new Error(stderr);
  return { outcome: JSON.parse(stdout.slice(0, end)), left: stdout.slice(end + 1) };
}
