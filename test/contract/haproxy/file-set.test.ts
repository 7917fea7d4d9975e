import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { filesFolder, namesOnDiskIn } from '../../../src/engine/config/layout.ts';
import { type Rendered, SET_FOLDER } from '../../../src/engine/config/set.ts';
import { readText } from '../../../src/engine/system/file/read-regular-file.ts';
import { runCommand } from '../../../src/engine/system/process/run-command.ts';
import { createConfigurationCheck } from '../../../src/haproxy/check-configuration.ts';
import { planBetween } from '../../../src/haproxy/runtime/difference.ts';
import { configurationText } from '../../helpers/supervisor-configuration.ts';
import { createSupervisedHost, type SupervisedHost } from '../../helpers/supervisor-host.ts';
import { waitFor } from '../../helpers/wait-for.ts';
import { deployerFor } from '../engine/config/apply-scene.ts';

const { signal } = new AbortController();
const port = 9003;
const section = `listen mapped
  bind 127.0.0.1:${port}
  http-request return status 200 content-type text/plain lf-string "%[req.hdr(host),map(maps/hosts.map,none)]"
`;

/** Two sets differ only in the map. */
function setOf(host: SupervisedHost, word: string): Rendered {
  const global = `  default-path origin ${SET_FOLDER}\n`;
  const others = [{ name: 'maps/hosts.map', content: `a.example ${word}\n` }];
  return { text: configurationText(host.paths, 'v1', { global, more: section }), mode: 0o644, others };
}

const ask = (host: SupervisedHost): Promise<string> =>
  host.namespace.run('sh', '-c', `curl -s -m 5 -H 'Host: a.example' 127.0.0.1:${port}; true`);

test('a supervisor serves each set of files, and falls back to the last good one with its files', async () => {
  await using host = await createSupervisedHost();
  host.install('v1');
  const supervisor = host.supervise();
  await supervisor.waitForServing();
  const deployer = deployerOn(host);
  for (const word of ['one', 'two', 'three']) {
    expect(await deployer.applySet(setOf(host, word), signal)).toMatchObject({
      kind: 'reloaded',
    });
    await waitFor(`"${word}" to be served`, async () => (await ask(host)) === word);
  }
  expect(await deployer.applySet(setOf(host, 'three'), signal)).toEqual({ kind: 'unchanged' });

  const { pid, generation } = await supervisor.waitForServing();
  const live = readText(host.paths.config);
  await waitFor(
    'the last good copy',
    () => readText(join(host.paths.dir, 'run/haproxy.last-good.cfg')) === live,
  );
  writeFileSync(host.paths.config, 'nonsense\n');
  process.kill(pid, 'SIGKILL');
  expect(await supervisor.waitForServing(generation)).toMatchObject({ config: 'last-good' });
  await waitFor('the last good set to be served', async () => (await ask(host)) === 'three');
});

test('a manually edited list is rewritten by the next monitor', async () => {
  await using host = await createSupervisedHost();
  host.install('v1');
  const supervisor = host.supervise();
  await supervisor.waitForServing();
  const rule = '  http-request deny unless { req.hdr(host) -f lists/allowed.lst }\n';
  const listed = { name: 'lists/allowed.lst', content: 'a.example\n' };
  const whole = setOf(host, 'one');
  const text = whole.text.replace(`127.0.0.1:${port}\n`, (bind) => bind + rule);
  const set = { ...whole, text, others: [...(whole.others ?? []), listed] };
  const deployer = deployerOn(host);
  await deployer.applySet(set, signal);
  await waitFor('the first answer', async () => (await ask(host)) === 'one');
  const { pid, generation } = await supervisor.waitForServing();
  const edited = namesOnDiskIn(readText(host.paths.config)).get(listed.name) ?? '';
  writeFileSync(join(filesFolder(host.paths.config), edited), 'b.example\n');
  process.kill(pid, 'SIGKILL');
  await supervisor.waitForServing(generation);
  await waitFor('the edited list to be read', async () => (await ask(host)).includes('403'));
  // A restarted monitor reads every file of its set once.
  await deployerOn(host).applySet({ ...set, text: `${set.text}# another\n` }, signal);
  await waitFor('the right list to be read', async () => (await ask(host)) === 'one');
});

function deployerOn({ paths: { config, socket } }: SupervisedHost) {
  const ask = createConfigurationCheck({ haproxyPath: 'haproxy', timeoutMs: 20_000, run: runCommand });
  return deployerFor({
    configPath: config,
    ask,
    socketPath: socket,
    check: 'when-idle',
    compare: (running, wanted) => planBetween(running, wanted, () => undefined),
  });
}
