import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { ApplyOutcome } from '../../../src/engine/config/outcome.ts';
import { runCommand } from '../../../src/engine/system/process/run-command.ts';
import { createConfigurationCheck } from '../../../src/haproxy/check-configuration.ts';
import { planBetween } from '../../../src/haproxy/runtime/difference.ts';
import { askRuntimeApi } from '../../../src/haproxy/runtime-api.ts';
import { parseRunningServers, type RunningServers } from '../../../src/haproxy/text/servers-state.ts';
import { deployerFor } from '../../contract/engine/config/apply-scene.ts';
import { createAuthority } from '../../helpers/certificates.ts';
import { startBackends } from '../../helpers/load/start-backends.ts';
import { defaultLoadBalancerSettings } from '../../helpers/load-balancer-settings.ts';
import { renderLoadBalancer } from '../../helpers/render-load-balancer.ts';
import { createSupervisedHost, type SupervisedHost } from '../../helpers/supervisor-host.ts';
import type { SupervisorProcess } from '../../helpers/supervisor-process.ts';
import { waitFor } from '../../helpers/wait-for.ts';

const shipped = join(import.meta.dirname, '../../../templates/haproxy.cfg.ejs');
/** For example, `cp-3` is 127.0.0.13. */
const addressOf = (name: string): string => `127.0.0.1${name.slice(3)}`;

export const servers = Array.from({ length: 9 }, (_, index) => `cp-${index + 1}`);
export const lbPort = defaultLoadBalancerSettings.lbPort;

export interface RuntimeWorld {
  readonly host: SupervisedHost;
  readonly configOf: (...names: readonly string[]) => string;
  /** What the monitor does once it wants these API servers: check, write, and have the supervisor change the running HAProxy. */
  readonly want: (...names: readonly string[]) => Promise<ApplyOutcome>;
  /** Resolves once this supervisor serves them and nothing is left to do. */
  readonly begin: (
    supervisor: SupervisorProcess,
    ...names: readonly string[]
  ) => ReturnType<SupervisorProcess['waitForServing']>;
  readonly running: () => Promise<RunningServers>;
  /** The servers that get clients, such as `cp-1 127.0.0.11:6443`. */
  readonly serving: () => Promise<readonly string[]>;
  readonly tell: (command: string) => Promise<string>;
}

/**
 * A host with nine API servers, of which HAProxy balances over the wanted ones. It uses the shipped template, or a variant that checks
 * each server by itself, so that HAProxy can add and remove servers.
 */
export async function openRuntimeWorld(
  template: 'shipped' | 'own checks' = 'own checks',
): Promise<RuntimeWorld> {
  const host = await createSupervisedHost();
  onTestFinished(() => host[Symbol.asyncDispose]());
  const { statsSocket, stateFile, config, socket } = host.paths;
  const identity = createAuthority(join(host.paths.dir, 'pki')).issue({ commonName: 'backend' });
  const started = await startBackends(
    host.namespace.prefix,
    servers.map((name) => ({ name, host: addressOf(name), port: defaultLoadBalancerSettings.apiPort })),
    identity,
  );
  onTestFinished(() => started[Symbol.asyncDispose]());
  const settings = { ...defaultLoadBalancerSettings, statsSocket, stateFile };
  const configOf = (...names: readonly string[]): string => {
    const list = names.map((name) => ({ name, address: addressOf(name), port: settings.apiPort }));
    const outcome = renderLoadBalancer(readFileSync(shipped, 'utf8'), settings, list, {
      templatePath: shipped,
    });
    if (outcome.kind === 'failed') throw new Error(outcome.message);
    return template === 'shipped' ? outcome.text : withOwnChecks(outcome.text);
  };
  const ask = createConfigurationCheck({ haproxyPath: 'haproxy', timeoutMs: 20_000, run: runCommand });
  const deployer = deployerFor({
    configPath: config,
    ask,
    socketPath: socket,
    compare: (running, wanted) => planBetween(running, wanted, () => undefined),
  });
  const { signal } = new AbortController();
  const tell = async (command: string): Promise<string> =>
    (await askRuntimeApi(statsSocket, command, 2_000)) ?? '';
  const running = async (): Promise<RunningServers> => {
    const found = parseRunningServers(await tell('show servers state'));
    if (found === undefined) throw new Error('Cannot read the statistics: they are none');
    return found;
  };
  const want: RuntimeWorld['want'] = async (...names) => {
    const outcome = await deployer.apply(configOf(...names), signal, 0o644);
    if (outcome === undefined) throw new Error('no outcome');
    return outcome;
  };
  return {
    host,
    configOf,
    want,
    running,
    tell,
    begin: async (supervisor, ...names) => {
      await waitFor('the first configuration', async () => (await want(...names)).kind === 'unchanged');
      return await supervisor.waitForServing();
    },
    serving: async () =>
      [...(await running())]
        .filter(([server, { isOut }]) => server.startsWith('masters/') && !isOut)
        .map(([server, { endpoint }]) => `${server.slice('masters/'.length)} ${endpoint}`)
        .toSorted(),
  };
}

function withOwnChecks(text: string): string {
  const [balanced = ''] = text.split('# Takes no clients');
  return balanced.replaceAll(/ track \S+/g, ' check check-ssl verify none inter 5s fastinter 2s rise 6');
}

export const served = (...names: readonly string[]): readonly string[] =>
  names.map((name) => `${name} ${addressOf(name)}:${defaultLoadBalancerSettings.apiPort}`);
