import { spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createNetNamespace, type NetNamespace } from '../../../../helpers/net-namespace.ts';
import { testFolder } from '../../../../helpers/test-folder.ts';
import { waitFor } from '../../../../helpers/wait-for.ts';

/** The kernel may give this port to a client. Its range is two ports wide, and the even one is taken first. */
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
  const [file, ...before] = net.prefix;
  const log = openSync(join(dir, `${name}.log`), 'a');
  spawn(file, [...before, ...argv], { stdio: ['ignore', log, log] });
  closeSync(log);
}
const said = (name: string): readonly string[] =>
  readFileSync(join(dir, `${name}.log`), 'utf8')
    .trim()
    .split('\n');

test('a client of a closed port that gets this very port is refused and leaves the port free', async () => {
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

/** Of all clients in the namespace. */
async function countAttempts(): Promise<number> {
  const [names = '', values = ''] = (await net.run('grep', '^Tcp:', '/proc/net/snmp')).split('\n');
  return Number(values.split(' ')[names.split(' ').indexOf('ActiveOpens')]);
}

test('a watch that was connected to itself does not keep HAProxy from its port', async () => {
  start('watch', ...client, 'watch');
  await waitFor('ten attempts', async () => (await countAttempts()) >= 10);
  expect(said('watch')).toEqual(['"dead"']);
  // HAProxy's clients need ports of their own.
  await net.run('sysctl', '-qw', 'net.ipv4.ip_local_port_range=32768 60999');
  const config = join(dir, 'haproxy.cfg');
  const frontend = `frontend health\n  mode http\n  timeout client 5s\n  bind :::${PORT} v4v6\n`;
  writeFileSync(config, `${frontend}  monitor-uri /haproxy_ready\n`);
  start('haproxy', 'haproxy', '-db', '-f', config);
  await waitFor('the watch to see it', () => said('watch').at(-1) === '"serving"');
});
