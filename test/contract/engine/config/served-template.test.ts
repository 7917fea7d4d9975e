import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { ApiServer } from '../../../../src/engine/kube/api-server.ts';
import { askRuntimeApi } from '../../../../src/haproxy/runtime-api.ts';
import { createAuthority } from '../../../helpers/certificates.ts';
import { startBackends } from '../../../helpers/load/start-backends.ts';
import { defaultLoadBalancerSettings } from '../../../helpers/load-balancer-settings.ts';
import { createNetNamespace, type NetNamespace } from '../../../helpers/net-namespace.ts';
import { renderLoadBalancer } from '../../../helpers/render-load-balancer.ts';
import { testFolder } from '../../../helpers/test-folder.ts';
import { waitFor } from '../../../helpers/wait-for.ts';

const templatePath = fileURLToPath(new URL('../../../../templates/haproxy.cfg.ejs', import.meta.url));

let net: NetNamespace;
let directory: string;
beforeEach(async () => {
  net = await createNetNamespace();
  directory = testFolder();
});
afterEach(async () => {
  await net.remove();
});

const server = (name: string, port: number): ApiServer => ({ name, address: '127.0.0.1', port });

/** Starts the real HAProxy with the template. Returns its output so far. HAProxy ends with its namespace. */
async function serve(servers: readonly ApiServer[]): Promise<() => string> {
  const paths = { statsSocket: join(directory, 's.sock'), stateFile: join(directory, 'state') };
  const settings = { ...defaultLoadBalancerSettings, ...paths };
  const outcome = renderLoadBalancer(readFileSync(templatePath, 'utf8'), settings, servers, { templatePath });
  if (outcome.kind === 'failed') throw new Error(outcome.message);
  const config = join(directory, 'haproxy.cfg');
  writeFileSync(config, outcome.text);
  const [file, ...args] = [...net.prefix, 'haproxy', '-W', '-db', '-f', config];
  const child = spawn(file ?? '', args, { stdio: ['ignore', 'pipe', 'pipe'] });
  let written = '';
  child.stdout.on('data', (chunk) => {
    written += String(chunk);
  });
  child.stderr.on('data', (chunk) => {
    written += String(chunk);
  });
  await once(child, 'spawn');
  await waitFor('HAProxy to be ready', async () => (await status('[::1]:9444/haproxy_ready')) === '200');
  return () => written;
}

/** The status of an HTTP response; `000` if the connection was closed without one. */
async function status(url: string): Promise<string> {
  const answer = await net.run(
    'sh',
    '-c',
    `curl -sk -m 5 -o /dev/null -w '%{http_code} %{errormsg}' '${url}'; true`,
  );
  if (answer.includes('timed out')) throw new Error(answer);
  return answer.slice(0, 3);
}

const monitor = () => status('127.0.0.1:9444/haproxy_monitor');

it('is ready without any server, is not usable, and closes connections at once', async () => {
  await serve([]);
  expect(await status('127.0.0.1:9444/haproxy_ready')).toBe('200');
  expect(await monitor()).toBe('503');
  expect(await status('https://127.0.0.1:9445/readyz')).toBe('000');
  expect(await status('127.0.0.1:9444/other')).toBe('404');
});

it('closes connections at once if every server is down, so that no kubelet waits', async () => {
  const output = await serve([server('a', 7001), server('b', 7002)]);
  await waitFor('no server to be up', async () => (await monitor()) === '503');
  expect(await status('https://127.0.0.1:9445/readyz')).toBe('000');
  expect(await status('127.0.0.1:9444/haproxy_ready')).toBe('200');
  const line = await waitFor(
    'the failed connection to be logged',
    () => /^.* main masters\/<NOSRV> .*$/m.exec(output()) ?? undefined,
  );
  expect(line[0]).toContain('127.0.0.1:');
});

it('serves both families from the server that is up, and reports the other one once', async () => {
  const identity = createAuthority(directory).issue({ commonName: 'api', addresses: ['127.0.0.1'] });
  const backends = [{ name: 'b', host: '127.0.0.1', port: 7002 }];
  await using _backends = await startBackends(net.prefix, backends, identity);
  const output = await serve([server('a', 7001), server('b', 7002)]);
  for (let round = 0; round < 4; round += 1) {
    expect(await status('https://127.0.0.1:9445/readyz')).toBe('200');
    expect(await status('https://[::1]:9445/readyz')).toBe('200');
  }
  expect(await monitor()).toBe('200');
  await waitFor('the dead server to be reported', () => output().includes('Server masters/a is DOWN'));
  expect(output().match(/Server masters\/a is DOWN/g)).toHaveLength(1);
});

it("closes an idle connection to a vanished server once the server's checks fail", async () => {
  const identity = createAuthority(directory).issue({ commonName: 'api', addresses: ['127.0.0.1'] });
  const backends = [{ name: 'a', host: '127.0.0.1', port: 7001 }];
  await using _backends = await startBackends(net.prefix, backends, identity);
  await serve([server('a', 7001)]);
  await waitFor('the server to be up', async () => (await monitor()) === '200');
  const [file, ...args] = [...net.prefix, 'socat', '-u', 'TCP:127.0.0.1:9445', 'STDOUT'];
  const client = spawn(file ?? '', args, { stdio: 'ignore' });
  const closed = once(client, 'exit');
  await waitFor('the connection to reach the server', async () =>
    (await askRuntimeApi(join(directory, 's.sock'), 'show sess', 1_000))?.includes('be=masters srv=a'),
  );
  // No packet announces that the connection is dead.
  const drop = 'chain input { type filter hook input priority 0; tcp dport 7001 drop; tcp sport 7001 drop; }';
  await net.run('nft', `table inet vanished { ${drop} ; }`);
  expect(await closed).toEqual([0, null]);
});

it('serves its statistics on loopback only, without a password', async () => {
  await net.run('ip', 'address', 'add', '10.9.0.1/32', 'dev', 'lo');
  await serve([]);
  expect(await status('127.0.0.1:29445/haproxy_stats')).toBe('200');
  expect(await status('10.9.0.1:29445/haproxy_stats')).toBe('000');
  expect(await status('10.9.0.1:9444/haproxy_ready')).toBe('200');
});

it('admits only its own user to the stats socket', async () => {
  await serve([]);
  const mode = await net.run('stat', '-c', '%a', join(directory, 's.sock'));
  expect(mode.trim()).toBe('600');
});

/** The folder from which Debian's OpenSSL loads them. */
const SYSTEM_CAS = '/usr/lib/ssl/certs';

it("does not load the system's CAs, which it does not need", async ({ skip }) => {
  const hasNone = !existsSync(SYSTEM_CAS) || readdirSync(SYSTEM_CAS).length === 0;
  skip(hasNone, `${SYSTEM_CAS} has no CA that HAProxy could load`);
  await serve([]);
  const answer = await askRuntimeApi(join(directory, 's.sock'), 'show ssl ca-file', 10_000);
  expect(answer?.trim()).toBe('');
});
