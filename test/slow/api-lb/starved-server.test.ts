import { readFileSync, writeFileSync } from 'node:fs';
import { getPriority, setPriority } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { createAuthority } from '../../helpers/certificates.ts';
import { type Backends, startBackends } from '../../helpers/load/start-backends.ts';
import { defaultLoadBalancerSettings } from '../../helpers/load-balancer-settings.ts';
import { renderLoadBalancer } from '../../helpers/render-load-balancer.ts';
import { starve } from '../../helpers/starve.ts';
import { createSupervisedHost, type SupervisedHost } from '../../helpers/supervisor-host.ts';
import { waitFor } from '../../helpers/wait-for.ts';

const templatePath = join(import.meta.dirname, '../../../templates/haproxy.cfg.ejs');
/** 127.0.0.1 is the host's own address; the others stand for other nodes. */
const addressOf = { 'cp-1': '127.0.0.11', 'cp-2': '127.0.0.12', 'cp-3': '127.0.0.13' } as const;
type Name = keyof typeof addressOf;
const names = Object.keys(addressOf) as readonly Name[];

const PATIENCE_MS = 100_000;
/** The supervisor probes a silent suspect four times per round. */
const FOUR_ROUNDS = 16;

/**
 * The shipped configuration for three API servers, each a process that speaks TLS to HAProxy's checks. All of it runs at high
 * priority: other load on the machine must starve no server and no prober.
 */
async function openWorld(): Promise<{
  readonly host: SupervisedHost;
  readonly servers: Readonly<Record<Name, Backends>>;
}> {
  const priority = getPriority();
  setPriority(-19);
  onTestFinished(() => setPriority(priority));
  const host = await createSupervisedHost();
  onTestFinished(() => host[Symbol.asyncDispose]());
  const { statsSocket, stateFile, config } = host.paths;
  const settings = { ...defaultLoadBalancerSettings, statsSocket, stateFile };
  const identity = createAuthority(join(host.paths.dir, 'pki')).issue({ commonName: 'api-server' });
  const start = async (name: Name): Promise<Backends> => {
    const backend = { name, host: addressOf[name], port: settings.apiPort };
    const server = await startBackends(host.namespace.prefix, [backend], identity);
    onTestFinished(() => {
      process.kill(server.pid, 'SIGCONT');
      return server[Symbol.asyncDispose]();
    });
    return server;
  };
  const servers = { 'cp-1': await start('cp-1'), 'cp-2': await start('cp-2'), 'cp-3': await start('cp-3') };
  const list = names.map((name) => ({ name, address: addressOf[name], port: settings.apiPort }));
  const outcome = renderLoadBalancer(readFileSync(templatePath, 'utf8'), settings, list, { templatePath });
  if (outcome.kind === 'failed') throw new Error(outcome.message);
  writeFileSync(config, outcome.text);
  await host.supervise().waitForServing();
  return { host, servers };
}

/** HAProxy's own log lines about servers that its checks took out. */
const downLines = ({ paths }: SupervisedHost) =>
  readFileSync(paths.log, 'utf8')
    .split('\n')
    .filter((line) => line.includes(' is DOWN'));

test('an API server that is starved but alive is neither set aside nor marked down, however often it is suspected; a stopped one is set aside', async () => {
  const { host, servers } = await openWorld();
  const starved = servers['cp-1'];
  // Every long-lived connection, like most in a cluster, raises the suspicion, because its answer is never seen.
  const load = await host.load({
    port: defaultLoadBalancerSettings.lbPort,
    ratePerSecond: 1,
    timeoutMs: PATIENCE_MS,
    servers: [...names],
    streams: 1_000,
    streamRampMs: 200_000,
  });
  const starvation = starve(starved.pid);
  onTestFinished(() => starvation[Symbol.dispose]());
  await waitFor('it to be probed', () => starved.silent('cp-1') >= FOUR_ROUNDS, PATIENCE_MS);
  expect(host.events('server-set-aside')).toEqual([]);
  expect(downLines(host)).toEqual([]);

  starvation[Symbol.dispose]();
  process.kill(starved.pid, 'SIGSTOP');
  const setAside = await waitFor('it to be set aside', () => host.events('server-set-aside')[0], PATIENCE_MS);
  expect(setAside).toMatchObject({ server: 'masters/cp-1', suspicion: 'no-answer' });
  process.kill(starved.pid, 'SIGCONT');
  expect((await load.stop()).lost).toEqual({});
}, 240_000);
