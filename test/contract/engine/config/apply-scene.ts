import { createHash } from 'node:crypto';
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ConfigurationCheck } from '../../../../src/engine/config/check.ts';
import type { Policy } from '../../../../src/engine/config/deploy-state.ts';
import { createDeployer } from '../../../../src/engine/config/deployer.ts';
import type { ForeignFile } from '../../../../src/engine/config/foreign-file.ts';
import type { ApplyOutcome } from '../../../../src/engine/config/outcome.ts';
import { connectProxy, type ProxyClient } from '../../../../src/engine/config/proxy.ts';
import type { Rendered } from '../../../../src/engine/config/set.ts';
import { createStore } from '../../../../src/engine/config/store.ts';
import type { Answer } from '../../../../src/engine/control/answer.ts';
import { serveControlSocket } from '../../../../src/engine/control/control-server.ts';
import { runCommand } from '../../../../src/engine/system/process/run-command.ts';
import { createConfigurationCheck } from '../../../../src/haproxy/check-configuration.ts';
import { waitFor } from '../../../helpers/wait-for.ts';

/** A directory for the configuration file, an haproxy that counts its runs, and a supervisor with scripted answers. */
export interface ApplyScene extends AsyncDisposable {
  readonly directory: string;
  readonly configPath: string;
  /** Path of a script that runs the real haproxy and counts the runs. */
  readonly haproxyPath: string;
  readonly checks: () => number;
  /** The lines that the supervisor received. */
  readonly requests: string[];
  /** The answers of the supervisor from now on. */
  readonly answers: { reload: Answer | Promise<Answer>; status: Answer };
  readonly serve: () => Promise<void>;
  readonly stopServing: () => Promise<void>;
  readonly deployer: (options?: SceneOptions) => SceneDeployer;
}

export interface SceneOptions extends Partial<Policy> {
  readonly configPath?: string;
  readonly ask?: ConfigurationCheck;
  readonly proxy?: ProxyClient;
  readonly reloadTimeoutMs?: number;
  readonly statusTimeoutMs?: number;
  readonly onReload?: () => void;
  readonly onForeign?: (foreign: ForeignFile) => void;
}

/** Functions that resolve with the outcome for a configuration, or with the previous outcome during the pause after a failure. */
export interface SceneDeployer {
  readonly apply: (text: string, signal: AbortSignal, mode?: number) => Promise<ApplyOutcome | undefined>;
  readonly applySet: (set: Rendered, signal: AbortSignal) => Promise<ApplyOutcome | undefined>;
  /** All outcomes so far. */
  readonly outcomes: readonly ApplyOutcome[];
  /** Resolves with the outcome of a retry, once it is of this kind. */
  readonly later: (kind: ApplyOutcome['kind']) => Promise<ApplyOutcome>;
  readonly ended: () => Promise<void>;
}

export const notStarted: Answer = { ok: true };

export async function createApplyScene(): Promise<ApplyScene> {
  const directory = mkdtempSync(join(tmpdir(), 'hawser-apply-'));
  const configPath = join(directory, 'haproxy.cfg');
  const socketPath = join(directory, 'master.sock');
  const haproxyPath = join(directory, 'haproxy');
  writeFileSync(haproxyPath, `#!/bin/sh\necho >> "${directory}/checks"\nexec haproxy "$@"\n`);
  writeFileSync(join(directory, 'checks'), '');
  chmodSync(haproxyPath, 0o755);
  const answers: ApplyScene['answers'] = {
    reload: { ok: true, generation: 1, tookMs: 5 },
    status: notStarted,
  };
  const requests: string[] = [];
  const stop = new AbortController();
  const deployers: SceneDeployer[] = [];
  let close = async (): Promise<void> => {};
  const stopServing = () => close();
  const serve = async () => {
    const outcome = await serveControlSocket(socketPath, async (line) => {
      requests.push(line);
      return line === 'status' ? answers.status : await answers.reload;
    });
    if (outcome.kind === 'serving') close = outcome.close;
  };
  return {
    directory,
    configPath,
    haproxyPath,
    requests,
    answers,
    serve,
    stopServing,
    checks: () => readFileSync(join(directory, 'checks'), 'utf8').length,
    deployer: (options = {}) => {
      const deployer = deployerFor(
        { configPath, socketPath, ask: checkWith(haproxyPath), ...options },
        stop.signal,
      );
      deployers.push(deployer);
      return deployer;
    },
    // A deployer that waits for a retry would write to the folder while it is removed.
    [Symbol.asyncDispose]: async () => {
      stop.abort();
      for (const { ended } of deployers) await ended();
      await close();
      rmSync(directory, { recursive: true, maxRetries: 5 });
    },
  };
}

/** A separate deployer, like that of another monitor. */
export function deployerFor(
  options: SceneOptions & {
    readonly configPath: string;
    readonly socketPath: string;
    readonly ask: ConfigurationCheck;
  },
  stop: AbortSignal = new AbortController().signal,
): SceneDeployer {
  const {
    configPath,
    ask,
    socketPath,
    proxy,
    onForeign,
    onReload,
    check = 'before-write',
    ...more
  } = options;
  const { reloadTimeoutMs = 60_000, statusTimeoutMs = 60_000, reloadEveryMs = 0, compare } = more;
  const outcomes: ApplyOutcome[] = [];
  const deployer = createDeployer<undefined>({
    configPath,
    check: ask,
    ...(onReload && { onReload }),
    policy: { check, reloadEveryMs, compare },
    store: createStore({ configPath, ...(onForeign && { onForeign }) }),
    proxy: proxy ?? connectProxy({ socketPath, reloadTimeoutMs, statusTimeoutMs, updateTimeoutMs: 60_000 }),
    observe: ({ outcome, isCheck }) => {
      if (isCheck !== true || outcome.kind !== 'unchanged') outcomes.push(outcome);
    },
  });
  const applySet = async (set: Rendered, signal: AbortSignal) => {
    await deployer.deploy(set, undefined, AbortSignal.any([signal, stop]));
    await deployer.ended();
    return outcomes.at(-1);
  };
  return {
    applySet,
    ended: deployer.ended,
    outcomes,
    later: (kind) =>
      waitFor(`a later outcome: ${kind}`, () =>
        outcomes.findLast((each) => each === outcomes.at(-1) && each.kind === kind),
      ),
    apply: (text, signal, mode = 0o100640) => applySet({ text, mode }, signal),
  };
}

/** A supervisor's status answer: its current generation serves this text. */
export function serving(text: string): Answer {
  return { ok: true, current: { configSha256: createHash('sha256').update(text).digest('hex') } };
}

/** A small configuration that HAProxy accepts. Different ports give different texts. */
export function goodText(port = 9445): string {
  return `# hawser renders this file
defaults
  mode tcp
  timeout connect 3s
  timeout client 1m
  timeout server 1m
frontend main
  bind 127.0.0.1:${port}
`;
}

export const badText = goodText().replace('bind', 'blind');

export function checkWith(haproxyPath: string) {
  return createConfigurationCheck({ haproxyPath, timeoutMs: 20_000, run: runCommand });
}
