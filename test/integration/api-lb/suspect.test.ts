import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { parseServerCounters, type ServerCounters } from '../../../src/api-lb/suspects/server-counters.ts';
import { askRuntimeApi } from '../../../src/haproxy/runtime-api.ts';
import { createAuthority } from '../../helpers/certificates.ts';
import { type Backends, startBackends } from '../../helpers/load/start-backends.ts';
import type { Load } from '../../helpers/load/start-load.ts';
import { ports } from '../../helpers/supervisor-configuration.ts';
import { createSupervisedHost, type SupervisedHost } from '../../helpers/supervisor-host.ts';
import type { LogLine } from '../../helpers/supervisor-process.ts';
import { waitFor } from '../../helpers/wait-for.ts';

const apiPort = 9020;
const names = ['a', 'b', 'c'] as const;
type Name = (typeof names)[number];
/** 127.0.0.1 is the host's own address; the others stand for other nodes. */
const addressOf: Record<Name, string> = { a: '127.0.0.2', b: '127.0.0.3', c: '127.0.0.4' };

interface World {
  readonly host: SupervisedHost;
  readonly backends: Readonly<Record<Name, Backends>>;
  /**
   * A packet filter silently drops every new connection to these servers. Dropping everything would also lose requests in
   * flight, and that would not be HAProxy's fault.
   */
  readonly drop: (...servers: readonly Name[]) => Promise<void>;
  readonly undrop: () => Promise<void>;
  readonly load: () => Promise<Load>;
  readonly counters: (server: Name) => Promise<ServerCounters>;
  /** Resolves once the server has answered a few more requests. */
  readonly served: (server: Name) => Promise<void>;
}

/** As in the shipped template: checks, here one a minute, are in a separate backend from the servers that clients get. */
async function openWorld(checks = 'inter 60s'): Promise<World> {
  const host = await createSupervisedHost();
  onTestFinished(() => host[Symbol.asyncDispose]());
  const identity = createAuthority(join(host.paths.dir, 'pki')).issue({ commonName: 'backend' });
  const start = async (name: Name): Promise<Backends> => {
    const backend = { name, host: addressOf[name], port: ports.backend };
    const backends = await startBackends(host.namespace.prefix, [backend], identity);
    onTestFinished(() => backends[Symbol.asyncDispose]());
    return backends;
  };
  const backends = { a: await start('a'), b: await start('b'), c: await start('c') };
  const line = (name: Name) => `  server ${name} ${addressOf[name]}:${ports.backend}`;
  host.install('v1', {
    more: `listen masters
  mode tcp
  bind 127.0.0.1:${apiPort}
  timeout connect 250ms
  retries 9
  option redispatch 1
${names.map((name) => `${line(name)} track checks/${name}`).join('\n')}
backend checks
  mode tcp
  timeout connect 3s
  default-server check fall 1000 ${checks}
${names.map(line).join('\n')}
`,
  });
  await host.supervise().waitForServing();
  const counters = async (server: Name): Promise<ServerCounters> => {
    const csv = (await askRuntimeApi(host.paths.statsSocket, 'show stat', 1_000)) ?? '';
    const found = parseServerCounters(csv)?.find(({ name }) => name === `masters/${server}`);
    if (found === undefined) throw new Error(`Cannot find the server "${server}": ${csv}`);
    return found;
  };
  return {
    host,
    backends,
    drop: async (...servers) => {
      const rules = servers.map(
        (name) =>
          `add rule inet lossy input ip daddr ${addressOf[name]} tcp dport ${ports.backend} tcp flags & (syn | ack) == syn drop;`,
      );
      await host.namespace.run(
        'nft',
        `add table inet lossy; add chain inet lossy input { type filter hook input priority 0; }; ${rules.join(' ')}`,
      );
    },
    undrop: async () => void (await host.namespace.run('nft', 'delete table inet lossy')),
    load: () => host.load({ port: apiPort, ratePerSecond: 50, servers: [...names] }),
    counters,
    served: async (server) => {
      const before = await counters(server);
      await waitFor(
        `${server} to serve`,
        async () => (await counters(server)).bytesFromServer > before.bytesFromServer + 2_000,
      );
    },
  };
}

/** For this server only: each backend is a process, and a starved one is set aside too. */
const timesAside = (host: SupervisedHost, name: Name) =>
  host
    .events('server-set-aside')
    .filter((event: LogLine & { server?: unknown }) => event.server === `masters/${name}`);
const setAside = (host: SupervisedHost, name: Name) =>
  waitFor(`${name} to be set aside`, () => timesAside(host, name)[0]);

test('a server that vanished gets no new connections until its next good check and keeps the existing ones', async () => {
  const { host, drop, undrop, load, counters, served } = await openWorld('inter 3s');
  const streams = await host.load({ port: apiPort, streams: 6 });
  const some = await load();
  await served('a');
  await drop('a');
  expect(await setAside(host, 'a')).toMatchObject({
    address: '127.0.0.2',
    suspicion: 'failed-attempts',
    level: 'warn',
  });
  await waitFor('HAProxy to say so', async () => !(await counters('a')).isUp);
  await served('b');
  const before = await counters('a');
  await served('b');
  await served('c');
  expect((await counters('a')).failedAttempts).toBe(before.failedAttempts);
  expect(streams.events().filter(({ kind }) => kind === 'cut')).toEqual([]);
  await undrop();
  await served('a');
  expect((await some.stop()).lost).toEqual({});
  expect(timesAside(host, 'a')).toHaveLength(1);
});

test('a server that hangs while its kernel accepts connections is set aside', async () => {
  const { host, backends, load, counters, served } = await openWorld();
  await load();
  await served('a');
  process.kill(backends.a.pid, 'SIGSTOP');
  onTestFinished(() => void process.kill(backends.a.pid, 'SIGCONT'));
  expect(await setAside(host, 'a')).toMatchObject({ suspicion: 'no-answer' });
  await waitFor('HAProxy to say so', async () => !(await counters('a')).isUp);
});

test('a server that refused a connection gets no new ones until a check passes', async () => {
  const { host, backends, load, served } = await openWorld();
  // Before the load starts: a connection already accepted by the kernel would be lost with the server.
  await backends.a.stop('a');
  const some = await load();
  expect(await setAside(host, 'a')).toMatchObject({ suspicion: 'failed-attempts' });
  // It listens, but its answer does not count as one.
  const starting = { name: 'starting', host: addressOf.a, port: ports.backend };
  const identity = createAuthority(join(host.paths.dir, 'starting')).issue({ commonName: 'backend' });
  const again = await startBackends(host.namespace.prefix, [starting], identity);
  onTestFinished(() => again[Symbol.asyncDispose]());
  for (const name of ['b', 'c', 'b', 'c'] as const) await served(name);
  expect((await some.stop()).lost).toEqual({});
  expect(timesAside(host, 'a')).toHaveLength(1);
});

test('a network that loses every packet to all servers does not set any of them aside', async () => {
  const { host, drop, load, counters, served } = await openWorld();
  await load();
  await served('a');
  await drop(...names);
  const left = await waitFor('the suspects to be probed', () => host.events('server-left-alone')[0]);
  expect(left).toMatchObject({ verdict: 'no-witness' });
  for (const name of names) expect(await counters(name)).toMatchObject({ isUp: true });
  expect(host.events('server-set-aside')).toEqual([]);
});

test('a new address of the node, possibly the VIP, reveals a vanished server without any client', async () => {
  const { host, drop } = await openWorld();
  await drop('c');
  await host.namespace.run('ip', 'address', 'add', '10.9.0.1/32', 'dev', 'lo');
  expect(await setAside(host, 'c')).toMatchObject({ suspicion: 'new-address' });
});
