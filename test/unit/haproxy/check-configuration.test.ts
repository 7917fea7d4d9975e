import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { runCommand } from '../../../src/engine/system/process/run-command.ts';
import { runLeanCommand } from '../../../src/engine/system/process/run-lean-command.ts';
import { createConfigurationCheck } from '../../../src/haproxy/check-configuration.ts';
import { fileFolder } from '../../helpers/test-folder.ts';

const directory = fileFolder();

describe.each([
  { how: 'a monitor runs it', run: runCommand },
  { how: 'a supervisor runs it', run: runLeanCommand },
])('the check, as $how', ({ run }) => {
  /** Checks with a program that runs this script. */
  const checkWith = async (script: string, timeoutMs = 10_000) => {
    const haproxyPath = join(directory, 'haproxy');
    writeFileSync(haproxyPath, `#!/bin/sh\n${script}\n`);
    chmodSync(haproxyPath, 0o755);
    return await createConfigurationCheck({ haproxyPath, timeoutMs, run })('/etc/haproxy.cfg');
  };

  it('validates only the given file', async () => {
    expect(await checkWith('[ "$*" = "-c -f /etc/haproxy.cfg" ]')).toEqual({ kind: 'valid' });
  });

  it("returns the end of HAProxy's message, not a megabyte of it", async () => {
    const outcome = await checkWith('yes warning | head -c 500000 >&2; echo the error >&2; exit 1');
    expect(outcome).toMatchObject({ kind: 'invalid', detail: expect.stringMatching(/the error$/) });
    expect(outcome.kind === 'invalid' && outcome.detail.length).toBe(4_000);
  });

  it("returns the same message each time, without the check's process id", async () => {
    const detail = '[ALERT] : config : unknown keyword\n[WARNING] : config : (7) old';
    const script = `echo "[ALERT]    ($$) : config : unknown keyword"; echo "[WARNING]  ($$) : config : (7) old"; exit 1`;
    expect(await checkWith(script)).toMatchObject({ kind: 'invalid', detail });
  });

  it('does not treat a hung check as a refusal', async () => {
    const outcome = await checkWith('exec sleep 60', 100);
    expect(outcome).toMatchObject({
      kind: 'impossible',
      message: expect.stringContaining('did not finish within 100 ms'),
    });
  });

  it('does not treat a killed check as a refusal', async () => {
    const outcome = await checkWith('kill -9 $$');
    expect(outcome).toMatchObject({ kind: 'impossible', message: expect.stringContaining('SIGKILL') });
  });

  it('reports a missing program', async () => {
    const check = createConfigurationCheck({ haproxyPath: '/nonexistent/haproxy', timeoutMs: 1_000, run });
    expect(await check('/etc/haproxy.cfg')).toMatchObject({
      kind: 'impossible',
      message: expect.stringContaining('ENOENT'),
    });
  });
});
