import { chmodSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ports } from '../../helpers/supervisor-configuration.ts';
import { createSupervisedHost, type SupervisedHost } from '../../helpers/supervisor-host.ts';
import { waitFor } from '../../helpers/wait-for.ts';

/** An HAProxy that starts only once a file exists: this pauses a replacement for as long as a test needs. */
function gated(host: SupervisedHost) {
  const gate = join(host.paths.dir, 'gate');
  const program = join(host.paths.dir, 'gated-haproxy');
  const wait = `while [ ! -e ${gate} ]; do sleep 0.05; done`;
  writeFileSync(program, `#!/bin/sh\ncase "$1" in -W) ${wait};; esac\nexec /usr/sbin/haproxy "$@"\n`);
  chmodSync(program, 0o755);
  return { program, open: () => writeFileSync(gate, ''), shut: () => rmSync(gate) };
}

const ruleset = (host: SupervisedHost) => host.namespace.run('nft', 'list', 'ruleset');
const droppedPorts = async (host: SupervisedHost): Promise<readonly number[]> => {
  const [, elements = ''] = /elements = \{([^}]*)\}/.exec(await ruleset(host)) ?? [];
  return [...elements.matchAll(/(\d+) (?:timeout|expires)/g)].map(([, port]) => Number(port));
};

async function hostWithDrop(startTimeout: string) {
  const host = await createSupervisedHost();
  const gate = gated(host);
  gate.open();
  host.install('one');
  const flags = ['--haproxy', gate.program, '--start-timeout', startTimeout];
  const supervisor = host.supervise(flags, { DROP_SYN_DURING_RESTART: 'true' });
  await host.waitForGenerations(1);
  return { host, gate, supervisor };
}

test('check 7: while a generation is replaced, new connections are dropped at the bound ports only, and let in afterwards', async () => {
  const { host, gate, supervisor } = await hostWithDrop('20s');
  await using _ = host;
  expect(await ruleset(host)).toBe('');
  gate.shut();
  host.install('two');
  const reload = supervisor.reload();
  await waitFor('the drop', async () => (await droppedPorts(host)).includes(ports.version));
  expect(await droppedPorts(host)).toEqual([ports.version, ports.stream]);
  const client = host.namespace.run('bash', '-c', `exec 3<>/dev/tcp/127.0.0.1/${ports.version}; echo in`);
  await waitFor('a SYN that is dropped', async () => /packets [1-9]\d* .*drop/.test(await ruleset(host)));
  gate.open();
  expect(await reload).toMatchObject({ ok: true });
  expect(await client).toBe('in\n');
  await waitFor('the end of the drop', async () => (await ruleset(host)) === '');
});

test('check 7: a supervisor killed meanwhile locks nobody out: the kernel ends the drop', async () => {
  // The kernel's limit is two seconds longer than the start timeout, which must be long enough to see the drop on a busy machine.
  const { host, gate, supervisor } = await hostWithDrop('8s');
  await using _ = host;
  gate.shut();
  host.install('two');
  void supervisor.reload().catch(() => undefined);
  await waitFor('the drop', async () => (await droppedPorts(host)).includes(ports.version));
  supervisor.kill('SIGKILL');
  await waitFor('the end of the drop', async () => (await droppedPorts(host)).length === 0);
});

test('a rejected file locks nobody out', async () => {
  const { host, gate, supervisor } = await hostWithDrop('20s');
  await using _ = host;
  gate.shut();
  host.install('two', { more: 'listen more\n  nonsense here\n' });
  const reload = supervisor.reload();
  await waitFor('a start', async () => (await supervisor.status()).reload?.stage === 'proving');
  expect(await ruleset(host)).toBe('');
  gate.open();
  expect(await reload).toMatchObject({ ok: false, stage: 'check' });
});
