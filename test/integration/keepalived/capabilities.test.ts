import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import * as z from 'zod/mini';
import { createVrrpPair } from '../../helpers/keepalived-node.ts';

const manifestSchema = z.object({
  spec: z.object({
    containers: z.array(
      z.object({
        name: z.string(),
        securityContext: z.object({
          capabilities: z.object({ drop: z.array(z.string()), add: z.array(z.string()) }),
        }),
      }),
    ),
  }),
});

/** What gives a program the capabilities of the manifest's container, and no more. */
function asInThePod(): readonly string[] {
  const text = readFileSync(new URL('../../../manifests/keepalived.yaml', import.meta.url), 'utf8');
  const { containers } = manifestSchema.parse(parse(text)).spec;
  const found = containers.find(({ name }) => name === 'keepalived')?.securityContext.capabilities;
  if (found?.drop.join() !== 'ALL')
    throw new Error('Cannot play the pod: expected it to drop every capability');
  const bounds = ['-all', ...found.add.map((name) => `+${name.toLowerCase()}`)];
  return ['setpriv', `--bounding-set=${bounds}`, '--inh-caps=-all'];
}

test('with the capabilities of its pod it takes the VIP, gives it back, and a reload is applied', async () => {
  await using pair = await createVrrpPair();
  const [node] = pair.nodes;
  node.install();
  const supervisor = node.supervise([], asInThePod());
  await supervisor.waitForState('MASTER');
  expect(await node.holdsVip()).toBe(true);
  node.install({ priority: 225 });
  expect(await supervisor.ask('reload')).toMatchObject({ ok: true, generation: 2 });
  expect((await supervisor.status()).instances).toMatchObject([{ state: 'MASTER', priority: 225 }]);
  supervisor.kill('SIGTERM');
  expect(await supervisor.ended).toBe(0);
  expect(await node.holdsVip()).toBe(false);
});

/** The reason why the shipped template goes without: docs/decisions/0009. */
test('a configuration with reload_check_config is not read again in a pod, and that is told', async () => {
  await using pair = await createVrrpPair();
  const [node] = pair.nodes;
  const options = { globals: `reload_check_config ${node.paths.dir}/reload-check.log` };
  node.install(options);
  const supervisor = node.supervise([], asInThePod());
  await supervisor.waitForState('MASTER');
  node.install({ ...options, priority: 225 });
  expect(await supervisor.ask('reload')).toMatchObject({
    ...{ ok: false, stage: 'prove' },
    message: expect.stringContaining('with reload_check_config that takes SETGID'),
  });
});
