import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { askRaw } from '../../helpers/supervisor-ask.ts';
import { createSupervisedHost } from '../../helpers/supervisor-host.ts';

test('the request "check" validates only the candidate, and the running processes stay', async () => {
  await using host = await createSupervisedHost();
  host.install('v1');
  const supervisor = host.supervise();
  const { pid } = await supervisor.waitForServing();
  const candidate = `${host.paths.config}.candidate`;

  expect(await supervisor.ask('check')).toMatchObject({ ok: false, stage: 'unchecked' });
  writeFileSync(candidate, 'listen a\n  nonsense here\n');
  expect(await supervisor.ask('check')).toMatchObject({
    ok: false,
    stage: 'check',
    detail: expect.stringContaining("unknown keyword 'nonsense'"),
  });
  host.install('v2');
  renameSync(host.paths.config, candidate);
  host.install('v1');
  expect(await supervisor.ask('check')).toEqual({ ok: true });
  // A client cannot choose the file.
  expect(await supervisor.ask('check /etc/shadow')).toMatchObject({ ok: false, stage: 'protocol' });
  expect((await supervisor.waitForServing()).pid).toBe(pid);
});

test('two hundred concurrent checks start HAProxy two or three times', async () => {
  await using host = await createSupervisedHost();
  host.install('v1');
  const supervisor = host.supervise();
  await supervisor.waitForServing();
  const marks = join(host.paths.dir, 'marks');
  writeFileSync(
    join(host.paths.dir, 'mark.lua'),
    `local out = io.open("${marks}", "a") out:write("x") out:close()`,
  );
  writeFileSync(
    `${host.paths.config}.candidate`,
    `global\n  lua-load ${join(host.paths.dir, 'mark.lua')}\ndefaults\n  timeout client 1s\n`,
  );
  const answers = await askRaw(host.paths.socket, 'check\n'.repeat(200));
  expect(answers).toHaveLength(200);
  const { length } = readFileSync(marks, 'utf8');
  expect(length).toBeGreaterThan(0);
  expect(length).toBeLessThanOrEqual(3);
});
