import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { fromJSONSchema } from 'zod';
import { journalParts } from '../../../../src/engine/observe/journal/send-journal.ts';
import type { PeerFiles } from '../../../../src/engine/peers/peer.ts';
import type { PeerAnswers } from '../../../../src/engine/peers/peer-answers.ts';
import { writeLastKnown } from '../../../../src/engine/reconcile/servers/last-known.ts';
import { runCommand } from '../../../../src/engine/system/process/run-command.ts';
import { freePort } from '../../../helpers/free-port.ts';
import { type JournalDirectory, journalDirectory, moves } from '../../../helpers/journal-directory.ts';
import { peerAuthority, temporaryFolder } from '../../../helpers/peers/peer-files.ts';
import { peerScene, serving } from '../../../helpers/peers/peer-scene.ts';
import { ensureBuilt, hawser } from '../../../helpers/supervisor-build.ts';

ensureBuilt();

const published = fromJSONSchema(
  JSON.parse(readFileSync(new URL('../../../../schemas/timeline.schema.json', import.meta.url), 'utf8')),
);
const supervisor = 'keepalived-supervisor';
const move = { event: 'vrrp-transition', instance: 'prod_API' };

/** cp-1 is asked over TLS, cp-2 is this node, and cp-3 is dead. */
async function threeNodes(clockOffMs = 0) {
  const authority = peerAuthority();
  const [there, here] = [journalDirectory(), journalDirectory()];
  const lost = { ...move, from: 'MASTER', to: 'FAULT', priority: 1, reason: 'this node cannot serve' };
  there.tell(supervisor, [lost], 'cp-1');
  here.tell(supervisor, [{ ...move, from: 'BACKUP', to: 'MASTER', reason: 'no better advert' }], 'cp-2');
  const { port } = await peerScene(await authority.credentialsFor(serving), {
    journal: (range) => journalParts(there.path, range),
    now: () => new Date(Date.now() + clockOffMs),
  });
  const own = authority.filesFor({ commonName: 'x', dnsNames: ['cp-2'] });
  const dead = await freePort();
  return { authority, here, there, own, port, list: `cp-1=127.0.0.1:${port},cp-3=127.0.0.1:${dead}` };
}

const tlsFlags = ({ ca, cert, key }: PeerFiles) => [
  ...['--peer-tls-ca', ca, '--peer-tls-cert', cert, '--peer-tls-key', key],
];

async function timeline(here: JournalDirectory, ...flags: readonly string[]) {
  const own = ['--utc', '--journal', here.path, ...flags] as const;
  const result = await runCommand([hawser, 'timeline', ...own], { timeoutMs: 200_000 });
  return { ...result, words: result.stdout.replaceAll(/\s+/g, ' ') };
}

test('of three nodes it tells the two that are there in one, and says which one is not', async () => {
  const { here, own, list } = await threeNodes();
  const { stdout, words, exitCode } = await timeline(here, '--peers', list, ...tlsFlags(own));
  expect(stdout).toMatch(/^\S+ cp-1 vip +prod_API MASTER → FAULT: this node cannot serve/m);
  expect(stdout).toMatch(/^\S+ cp-2 vip +prod_API BACKUP → MASTER: no better advert/m);
  expect(words).toContain('← cp-1 left MASTER: this node cannot serve');
  expect(words).toContain('cannot tell: cp-3 (127.0.0.1): nothing listens at 127.0.0.1 port');
  expect(exitCode).toBe(2);
});

test.each([
  // As exact as the answer is quick, which no busy machine is.
  [15_000, /^the clock of cp-1 is 1\d\.\d s ahead: its entries are in the wrong place/],
  [-15_000, /^the clock of cp-1 is 1\d\.\d s behind: its entries are in the wrong place/],
])('a clock of another node that is off by %i ms is told first', async (offMs, warning) => {
  const { here, own, port } = await threeNodes(offMs);
  const { stdout } = await timeline(here, '--peers', `cp-1=127.0.0.1:${port}`, ...tlsFlags(own));
  expect(stdout).toMatch(warning);
});

test('--json is what the published schema says, and names where each journal came from', async () => {
  const { here, own, list, port } = await threeNodes();
  const { stdout, exitCode } = await timeline(here, '--json', '--peers', list, ...tlsFlags(own));
  const report: unknown = JSON.parse(stdout);
  expect(published.safeParse(report)).toMatchObject({ success: true });
  expect(report).toMatchObject({
    verdict: 'unknown',
    journals: [
      { directory: here.path, node: 'cp-2', verdict: 'whole' },
      { directory: `https://127.0.0.1:${port}/journal`, node: 'cp-1', verdict: 'whole' },
    ],
    unread: [{ path: 'cp-3 (127.0.0.1)' }],
    clocks: [{ node: 'cp-1', offMs: 0 }],
  });
  expect(exitCode).toBe(2);
});

test('a journal that lacks a line on the other node is broken here too', async () => {
  const { here, there, own, port } = await threeNodes();
  there.tell(supervisor, moves(3), 'cp-1');
  there.tamper(supervisor, (lines) => lines.toSpliced(1, 1));
  const list = ['--peers', `cp-1=127.0.0.1:${port}`, ...tlsFlags(own)];
  const shown = await timeline(here, ...list);
  expect(shown.exitCode).toBe(1);
  expect(shown.words).toContain(
    '!! cp-1 BROKEN line 2 of keepalived-supervisor.000000000001.jsonl: its number',
  );
  const path = `https://127.0.0.1:${port}/journal/keepalived-supervisor.000000000001.jsonl`;
  expect(shown.words).toContain(`BROKEN: keepalived-supervisor of cp-1: line 2 of ${path}: its number is 3`);
});

test('all nodes that this one knows are asked, but for itself', async () => {
  const { here, own, port } = await threeNodes();
  const lastKnown = join(temporaryFolder(), 'vrrp-nodes.json');
  const nodes = [
    { name: 'cp-2', address: '127.0.0.1', port: 6443 },
    { name: 'cp-4', address: '127.0.0.4', port: 6443 },
  ];
  await writeLastKnown(`${lastKnown}.api.ipv4`, nodes, new Date());
  const flags = ['--peers', '--last-known', lastKnown, '--peer-listen', `:${port}`, ...tlsFlags(own)];
  const { stdout } = await timeline(here, '--json', ...flags);
  expect(JSON.parse(stdout)).toMatchObject({ unread: [{ path: 'cp-4 (127.0.0.4)' }] });
});

test('the certificate, the port and the list may come from the settings file', async () => {
  const { here, own, port } = await threeNodes();
  const settings = join(temporaryFolder(), 'config.yaml');
  const lines = [`peerTlsCa: ${own.ca}`, `peerTlsCert: ${own.cert}`, `peerTlsKey: ${own.key}`];
  writeFileSync(settings, [...lines, `peerListen: ":${port}"`].join('\n'));
  const { stdout, exitCode } = await timeline(here, '--settings', settings, '--peers', 'cp-1=127.0.0.1');
  expect(exitCode).toBe(0);
  expect(stdout).toContain('all 2 journals are whole');
});

test('without a certificate, a list or whole settings this node is told of all the same', async () => {
  const { here, own, list } = await threeNodes();
  const folder = temporaryFolder();
  const whyNot = async (...flags: readonly string[]) => {
    const { words, exitCode } = await timeline(here, ...flags);
    expect(words).toContain('prod_API BACKUP → MASTER');
    expect(exitCode).toBe(2);
    return words;
  };
  expect(await whyNot('--peers', list)).toContain('the other nodes: no --peer-tls-… files are set');
  const nowhere = ['--peers', '--last-known', join(folder, 'none'), ...tlsFlags(own)];
  expect(await whyNot(...nowhere)).toContain(`the other nodes: ${folder}/none names none`);
  const spoilt = { ...own, key: own.cert };
  expect(await whyNot('--peers', list, ...tlsFlags(spoilt))).toContain('it holds no key');
  writeFileSync(join(folder, 'config.yaml'), 'apiVip: 10.0.0.5\n');
  const broken = await whyNot('--peers', list, '--settings', join(folder, 'config.yaml'));
  expect(broken).toContain(`the other nodes: ${folder}/config.yaml:1: Cannot use apiVip: unknown`);
});

test('one file of three, and a list that is none, are usage', async () => {
  const { here, own } = await threeNodes();
  const one = await timeline(here, '--peers', 'a=10.0.0.1', '--peer-tls-ca', own.ca);
  expect(one).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('without --peer-tls-cert') });
  const list = await timeline(here, '--peers', 'cp-1', ...tlsFlags(own));
  expect(list).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('expected HOST=IP[:PORT]') });
});

test('the full journal of another node is told with the little memory that hawser has', {
  timeout: 240_000,
}, async () => {
  const authority = peerAuthority();
  const [here, full] = [journalDirectory(), journalDirectory()];
  full.fill(['haproxy-monitor', 'haproxy-supervisor', 'keepalived-monitor', supervisor]);
  here.tell(supervisor, moves(1));
  const credentials = await authority.credentialsFor(serving);
  const journal: PeerAnswers['journal'] = (range) => journalParts(full.path, range);
  const { port } = await peerScene(credentials, { journal }, { connectionMs: 120_000 });
  const own = tlsFlags(authority.filesFor({ commonName: 'x', addresses: ['10.0.0.12'] }));
  const flags = ['--since', 'all', '--kind', 'reload', '--peers', `cp-1=127.0.0.1:${port}`, ...own];
  const { stdout, stderr, exitCode } = await timeline(here, ...flags);
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
  expect(stdout).toContain('all 5 journals are whole');
});
