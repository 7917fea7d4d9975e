import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parseSettingsFile } from '../../../../src/cli/parse-settings-file.ts';
import { daemonKeys } from '../../../../src/commands/pods.ts';
import { isOfNode } from '../../../../src/engine/peers/identity.ts';
import { createRefusals } from '../../../../src/engine/peers/refusals.ts';
import { credentialsIn, temporaryFolder } from '../../../helpers/peers/peer-files.ts';
import { peerScene } from '../../../helpers/peers/peer-scene.ts';

const page = readFileSync(new URL('../../../../docs/peers.md', import.meta.url), 'utf8');
const blocks = [...page.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].map(([, block = '']) => block);

/** Types a block in `dir`, with another node's name in it and another folder in the place of `/etc`. */
function type(block: string | undefined, dir: string, node: string, address: string): void {
  const script = (block ?? '')
    .replaceAll('cp-1', node)
    .replaceAll('192.0.2.11', address)
    .replaceAll('/etc/', `${dir}/${node}/etc/`);
  execFileSync('sh', ['-euc', script], { cwd: dir, stdio: ['ignore', 'ignore', 'pipe'] });
}

test('the commands of docs/peers.md give two nodes what they need to believe each other', async () => {
  expect(blocks).toHaveLength(3);
  const dir = temporaryFolder();
  const [authority, certificate, onNode] = blocks;
  type(authority, dir, 'cp-1', '127.0.0.1');
  const nodes = [
    { name: 'cp-1', addresses: ['127.0.0.1'] },
    { name: 'cp-2', addresses: ['10.0.0.12'] },
  ];
  for (const { name, addresses } of nodes) {
    type(certificate, dir, name, addresses[0] ?? '');
    mkdirSync(join(dir, name, 'etc/hawser'), { recursive: true });
    type(onNode, dir, name, addresses[0] ?? '');
  }
  const at = (name: string, file: string) => join(dir, name, 'etc/hawser/peer', file);
  const credentialsOf = (name: string) =>
    credentialsIn({ ca: at(name, 'ca.crt'), cert: at(name, 'tls.crt'), key: at(name, 'tls.key') });
  const [first, second] = [await credentialsOf('cp-1'), await credentialsOf('cp-2')];
  for (const [index, node] of nodes.entries())
    expect(isOfNode([first, second][index]?.leaf ?? first.leaf, node), node.name).toBe(true);
  const server = await peerScene(first, { nodes: () => nodes });
  expect(await server.ask(second)).toMatchObject({ kind: 'answer' });
});

test('they leave the keys to root alone, and settings that hawser reads', () => {
  const dir = temporaryFolder();
  mkdirSync(join(dir, 'cp-1/etc/hawser'), { recursive: true });
  for (const block of blocks) type(block, dir, 'cp-1', '127.0.0.1');
  const modeOf = (path: string) => (statSync(join(dir, path)).mode & 0o777).toString(8);
  expect(modeOf('cp-1/etc/hawser/peer')).toBe('700');
  expect(modeOf('cp-1/etc/hawser/peer/tls.key')).toBe('600');
  expect(modeOf('ca.key')).toBe('600');
  const settings = readFileSync(join(dir, 'cp-1/etc/hawser/config.yaml'), 'utf8');
  expect(parseSettingsFile(settings, 'config.yaml', daemonKeys)).toMatchObject({
    kind: 'values',
    values: { top: { peerTlsKey: { value: `${dir}/cp-1/etc/hawser/peer/tls.key` } } },
  });
});

test('what the page says of refusals is what the log says', () => {
  const reasons = [
    'it shows no certificate',
    'its certificate is not from our CA',
    'its certificate has expired',
  ];
  for (const reason of reasons) expect(page).toContain(`\`${reason}\``);
  createRefusals(
    ({ event }) => expect(page).toContain(`\`${event}\``),
    () => 0,
  )('10.0.0.1', 'x');
});
