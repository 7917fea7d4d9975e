import { copyFileSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { beforeEach, expect, test } from 'vitest';
import { writeLastKnown } from '../../../src/engine/reconcile/servers/last-known.ts';
import { runCommand } from '../../../src/engine/system/process/run-command.ts';
import { useLoneNode } from '../../helpers/lone-node.ts';
import { hawser } from '../../helpers/supervisor-build.ts';

const templateSource = fileURLToPath(new URL('../../../templates/keepalived.conf.ejs', import.meta.url));

/** There is no API server, and no kubeconfig. */
const node = useLoneNode();
const { at } = node;
beforeEach(() => {
  copyFileSync(templateSource, at('template'));
});

const usual = ['--api-vips', '10.77.0.100', '--node-name', 'a'];
const named = ['--cluster-name', 'managed'];
const threeNodes = ['--source', 'static', '--servers', 'a=10.77.0.1,b=10.77.0.2,c=10.77.0.3'];
const run = (...flags: readonly string[]) => {
  const files = [at('kubeconfig'), at('template'), at('keepalived.conf')];
  const command = ['render', 'keepalived', ...files, ...usual, '--run-dir', node.directory, ...flags];
  return runCommand([...node.namespace.prefix, hawser, ...command], { timeoutMs: 30_000 });
};
const written = () => readFileSync(at('keepalived.conf'), 'utf8');

test('where the nodes are known and there is no configuration it is written, and later left alone', async () => {
  expect(await run(...named, ...threeNodes)).toMatchObject({ exitCode: 0 });
  expect(written()).toMatch(/unicast_peer \{\s+# b\s+10\.77\.0\.2 .*\s+# c\s+10\.77\.0\.3 /);
  writeFileSync(at('keepalived.conf'), '# hawser renders this file\nwhat is there');
  expect(await run(...named, ...threeNodes)).toMatchObject({ exitCode: 0 });
  expect(written()).toBe('# hawser renders this file\nwhat is there');
  expect(readdirSync(node.directory).sort()).toEqual(['keepalived.conf', 'template']);
});

test('without nodes and kubeconfig nothing is written, and no server is asked or waited for', async () => {
  const { exitCode, stderr } = await run();
  expect(exitCode).toBe(0);
  expect(stderr).toContain('"event":"configuration-left-to-the-monitor"');
  expect(existsSync(at('keepalived.conf'))).toBe(false);
});

test('the list of an earlier run is enough, with a name, in the fast profile, in which no node joins before its monitor reports', async () => {
  const servers = ['a', 'b'].map((name, index) => ({ name, address: `10.77.0.${index + 1}`, port: 6443 }));
  await writeLastKnown(at('vrrp-nodes.json.api.ipv4'), servers, new Date());
  expect(await run(...named, '--profile', 'openshift')).toMatchObject({ exitCode: 0 });
  expect(existsSync(at('keepalived.conf'))).toBe(false);
  expect(await run()).toMatchObject({ exitCode: 0 });
  expect(existsSync(at('keepalived.conf'))).toBe(false);
  expect(await run(...named)).toMatchObject({ exitCode: 0 });
  expect(written()).toContain('10.77.0.2 min_ttl 255');
});

test.each([
  ['a variable that is not there', 'router_id <%= routrId %>', 'routrId'],
  [
    'a word that keepalived does not know',
    'vrrp_instance A {\n  virtual_ruoter_id 7\n}\n',
    'virtual_ruoter_id',
  ],
])(
  '%s in the template ends it with 2 and is named, though the nodes are not known',
  async (_, text, named) => {
    writeFileSync(at('template'), text);
    const { exitCode, stderr } = await run();
    expect(exitCode).toBe(2);
    expect(stderr).toContain(named);
    expect(readdirSync(node.directory)).toEqual(['template']);
  },
);

test('a bad flag ends it with 2', async () => {
  const { exitCode, stderr } = await run('--mode', 'broadcast');
  expect(exitCode).toBe(2);
  expect(stderr).toContain('--mode "broadcast": expected unicast or multicast');
});

test('an interface that is not there yet is no reason to hold the pod back', async () => {
  const { exitCode, stderr } = await run(...named, ...threeNodes, '--interface', 'bond0');
  expect(exitCode).toBe(0);
  expect(stderr).toContain('"event":"group-not-ready"');
  expect(existsSync(at('keepalived.conf'))).toBe(false);
});
