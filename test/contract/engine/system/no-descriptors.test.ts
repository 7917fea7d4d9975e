import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const processes = fileURLToPath(
  new URL('../../../../src/engine/system/process/processes.ts', import.meta.url),
);

test('without free descriptors no process is declared dead, and none is signalled', () => {
  const script = `
    import { openSync, writeSync } from 'node:fs';
    const { isAlive, readProcess, signalProcess } = await import(${JSON.stringify(processes)});
    const parent = readProcess(process.ppid).id;
    const gone = { ...parent, startTicks: parent.startTicks - 1 };
    const before = [isAlive(parent), isAlive(gone)];
    try { for (;;) openSync('/dev/null'); } catch {}
    let refusal = '';
    try { signalProcess(gone, 'SIGKILL'); } catch (error) { refusal = error.message; }
    writeSync(1, JSON.stringify([before, isAlive(parent), isAlive(gone), refusal]));`;
  const out = execFileSync(process.execPath, ['--input-type=module', '-e', script], { encoding: 'utf8' });
  expect(JSON.parse(out)).toEqual([
    [true, false],
    true,
    true,
    expect.stringMatching(/^Cannot inspect process \d+: EMFILE/),
  ]);
});
