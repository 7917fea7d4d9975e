import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { startLogged } from '../../../../helpers/child.ts';
import { createNetNamespace, type NetNamespace } from '../../../../helpers/net-namespace.ts';
import { testFolder } from '../../../../helpers/test-folder.ts';
import { waitFor } from '../../../../helpers/wait-for.ts';

/** The kernel may assign this port to a client. The range has two ports, and the even one is assigned first. */
const PORT = 50936;
const client = [process.execPath, join(import.meta.dirname, 'local-client.ts'), String(PORT)] as const;

let net: NetNamespace;
let dir: string;
beforeEach(async () => {
  net = await createNetNamespace();
  dir = testFolder();
  const range = `net.ipv4.ip_local_port_range=${PORT} ${PORT + 1}`;
  await net.run('sysctl', '-qw', 'net.ipv4.ip_local_reserved_ports=', range);
});
afterEach(async () => {
  await net.remove();
});

function start(name: string, ...argv: readonly string[]): void {
  startLogged([...net.prefix, ...argv], join(dir, `${name}.log`));
}
const said = (name: string): readonly string[] =>
  readFileSync(join(dir, `${name}.log`), 'utf8')
    .trim()
    .split('\n');

test('a client that is assigned the very port it connects to is refused, and leaves the port free', async () => {
  const lines = (await net.run(...client, 'ask')).trim().split('\n');
  const message = 'nothing listens there';
  expect(lines.map((line) => JSON.parse(line))).toEqual([
    { askPage: message, isTaken: false },
    { ask: message },
    { refuses: true },
    { probeTcp: 'refused' },
  ]);
  expect(await net.run('ss', '-Htan')).toBe('');
});

/** The number of connection attempts in the namespace. */
async function countAttempts(): Promise<number> {
  const [names = '', values = ''] = (await net.run('grep', '^Tcp:', '/proc/net/snmp')).split('\n');
  return Number(values.split(' ')[names.split(' ').indexOf('ActiveOpens')]);
}

test('a watch that had connected to itself does not keep HAProxy from the port', async () => {
  start('watch', ...client, 'watch');
  await waitFor('ten attempts', async () => (await countAttempts()) >= 10);
  expect(said('watch')).toEqual(['"dead"']);
  // HAProxy's clients need ephemeral ports too.
  await net.run('sysctl', '-qw', 'net.ipv4.ip_local_port_range=32768 60999');
  const config = join(dir, 'haproxy.cfg');
  const frontend = `frontend health\n  mode http\n  timeout client 5s\n  bind :::${PORT} v4v6\n`;
  writeFileSync(config, `${frontend}  monitor-uri /haproxy_ready\n`);
  start('haproxy', 'haproxy', '-db', '-f', config);
  await waitFor('the watch to see it', () => said('watch').at(-1) === '"serving"');
});
