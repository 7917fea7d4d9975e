import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createApplier } from '../../../src/engine/apply/applier.ts';
import { type Rendered, SET_FOLDER } from '../../../src/engine/apply/file-set.ts';
import { readText } from '../../../src/engine/system/file/read-regular-file.ts';
import { runCommand } from '../../../src/engine/system/process/run-command.ts';
import { createConfigurationCheck } from '../../../src/haproxy/check-configuration.ts';
import { difference, planOf } from '../../../src/haproxy/runtime/difference.ts';
import { configurationText } from '../../helpers/supervisor-configuration.ts';
import { createSupervisedHost, type SupervisedHost } from '../../helpers/supervisor-host.ts';
import { waitFor } from '../../helpers/wait-for.ts';

const { signal } = new AbortController();
const port = 9003;
const section = `listen mapped
  bind 127.0.0.1:${port}
  http-request return status 200 content-type text/plain lf-string "%[req.hdr(host),map(maps/hosts.map,none)]"
`;

/** What differs between two sets is in the map alone. */
function setOf(host: SupervisedHost, word: string): Rendered {
  const global = `  default-path origin ${SET_FOLDER}\n`;
  const others = [{ name: 'maps/hosts.map', content: `a.example ${word}\n` }];
  return { text: configurationText(host.paths, 'v1', { global, more: section }), mode: 0o644, others };
}

const ask = (host: SupervisedHost): Promise<string> =>
  host.namespace.run('sh', '-c', `curl -s -m 5 -H 'Host: a.example' 127.0.0.1:${port}; true`);

test('a supervisor serves each set of files, and falls back to the last good one with its own files', async () => {
  await using host = await createSupervisedHost();
  host.install('v1');
  const supervisor = host.supervise();
  await supervisor.waitForServing();
  const check = createConfigurationCheck({ haproxyPath: 'haproxy', timeoutMs: 20_000, run: runCommand });
  const applier = createApplier({ configPath: host.paths.config, check, socketPath: host.paths.socket });
  for (const word of ['one', 'two', 'three']) {
    expect(await applier.apply(setOf(host, word), signal)).toMatchObject({
      kind: 'reloaded',
    });
    await waitFor(`"${word}" to be served`, async () => (await ask(host)) === word);
  }
  expect(await applier.apply(setOf(host, 'three'), signal)).toEqual({ kind: 'unchanged' });

  const { pid, generation } = await supervisor.waitForServing();
  await waitFor('the last good copy', () =>
    readText(join(host.paths.dir, 'run/haproxy.last-good.cfg')).includes('.sets/3'),
  );
  writeFileSync(host.paths.config, 'nonsense\n');
  process.kill(pid, 'SIGKILL');
  expect(await supervisor.waitForServing(generation)).toMatchObject({ config: 'last-good' });
  await waitFor('the last good set to be served', async () => (await ask(host)) === 'three');
});

test('a list that was edited by hand and read by a start is put back, and read again', async () => {
  await using host = await createSupervisedHost();
  host.install('v1');
  const supervisor = host.supervise();
  await supervisor.waitForServing();
  const rule = '  http-request deny unless { req.hdr(host) -f lists/allowed.lst }\n';
  const listed = { name: 'lists/allowed.lst', content: 'a.example\n' };
  const whole = setOf(host, 'one');
  const text = whole.text.replace(`127.0.0.1:${port}\n`, (bind) => bind + rule);
  const set = { ...whole, text, others: [...(whole.others ?? []), listed] };
  const check = createConfigurationCheck({ haproxyPath: 'haproxy', timeoutMs: 20_000, run: runCommand });
  let nowMs = 0;
  const applier = createApplier({
    ...{ configPath: host.paths.config, check, socketPath: host.paths.socket, checksAfter: true },
    ...{
      difference: (before, after) => planOf(difference(before, after, () => undefined)),
      now: () => nowMs,
    },
  });
  await applier.apply(set, signal);
  await waitFor('the first answer', async () => (await ask(host)) === 'one');
  const { pid, generation } = await supervisor.waitForServing();
  writeFileSync(join(`${host.paths.config}.sets`, '1', listed.name), 'b.example\n');
  process.kill(pid, 'SIGKILL');
  await supervisor.waitForServing(generation);
  await waitFor('the edited list to be read', async () => (await ask(host)).includes('403'));
  nowMs += 60_000;
  expect(await applier.apply(set, signal)).toMatchObject({ kind: 'reloaded', what: 'files-changed' });
  await waitFor('the right list to be read', async () => (await ask(host)) === 'one');
});
