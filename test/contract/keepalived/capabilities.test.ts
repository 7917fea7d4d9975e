import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { nftFor } from '../../../src/engine/system/nft/nft.ts';
import { createVrrpPair } from '../../helpers/keepalived-node.ts';
import { createNetNamespace } from '../../helpers/net-namespace.ts';
import { waitFor } from '../../helpers/wait-for.ts';
import { containerOf, haproxyManifest, keepalivedManifest, readPod } from '../../unit/manifests/pod.ts';

/** The command prefix that gives a program exactly the capabilities of the manifest's container. */
function asInThePod(
  container = 'keepalived',
  without?: string,
  manifest = keepalivedManifest,
): readonly string[] {
  const { drop, add = [] } = containerOf(readPod(manifest), container).securityContext.capabilities;
  expect(drop).toEqual(['ALL']);
  const kept = add.filter((name) => name !== without);
  return [
    'setpriv',
    `--bounding-set=${['-all', ...kept.map((name) => `+${name.toLowerCase()}`)]}`,
    '--inh-caps=-all',
  ];
}

test('with the capabilities of its pod, keepalived takes and gives up the VIP, and reloads', async () => {
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

test.each([
  { name: 'NET_ADMIN', sign: /Netlink: error: Operation not permitted/, what: 'takes no VIP' },
  { name: 'NET_RAW', sign: /exited with permanent error missing permission/, what: 'does not start' },
])('without $name, keepalived $what', async ({ name, sign }) => {
  await using pair = await createVrrpPair();
  const [node] = pair.nodes;
  node.install();
  node.supervise([], asInThePod('keepalived', name));
  await waitFor('keepalived to tell why', () => sign.test(readFileSync(node.paths.log, 'utf8')));
  expect(await node.holdsVip()).toBe(false);
});

test('without SYS_NICE, keepalived has no realtime priority, and this is reported', async () => {
  await using pair = await createVrrpPair();
  const [node] = pair.nodes;
  node.install();
  const supervisor = node.supervise([], asInThePod('keepalived', 'SYS_NICE'));
  await supervisor.waitForState('MASTER');
  expect(node.events('no-realtime-priority')).toHaveLength(1);
});

test.each([
  { container: 'haproxy-monitor', manifest: haproxyManifest },
  { container: 'keepalived-monitor', manifest: keepalivedManifest },
])('$container cannot use nft without NET_ADMIN', async ({ container, manifest }) => {
  await using node = await createNetNamespace();
  const load = async (rights: readonly string[]) =>
    await nftFor('inet t', { nft: [...node.prefix, ...rights, 'nft'] })(['-f', '-'], 'add table inet t\n');
  expect(await load(asInThePod(container, undefined, manifest))).toMatchObject({ ok: true });
  expect(await load(asInThePod(container, 'NET_ADMIN', manifest))).toMatchObject({
    message: expect.stringContaining('expected nft with CAP_NET_ADMIN'),
  });
});

/** The shipped template does not set it: docs/internals/decisions/0009. */
test('in a pod, a configuration with reload_check_config is not reloaded, and this is reported', async () => {
  await using pair = await createVrrpPair();
  const [node] = pair.nodes;
  const options = { globals: `reload_check_config ${node.paths.dir}/reload-check.log` };
  node.install(options);
  const supervisor = node.supervise([], asInThePod());
  await supervisor.waitForState('MASTER');
  node.install({ ...options, priority: 225 });
  expect(await supervisor.ask('reload')).toMatchObject({
    ok: false,
    stage: 'prove',
    message: expect.stringContaining('with reload_check_config this needs SETGID'),
  });
});
