import { createHash } from 'node:crypto';
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Applier, type ApplierOptions, createApplier } from '../../../../src/engine/apply/applier.ts';
import type { Rendered } from '../../../../src/engine/apply/file-set.ts';
import type { Answer } from '../../../../src/engine/control/answer.ts';
import { serveControlSocket } from '../../../../src/engine/control/control-server.ts';
import { runCommand } from '../../../../src/engine/system/process/run-command.ts';
import { createConfigurationCheck } from '../../../../src/haproxy/check-configuration.ts';

/** A directory for the configuration file, a haproxy that counts its runs, and a supervisor with scripted answers. */
export interface ApplyScene extends AsyncDisposable {
  readonly directory: string;
  readonly configPath: string;
  /** Runs the real haproxy and leaves a mark each time. */
  readonly haproxyPath: string;
  readonly checks: () => number;
  /** The lines that the supervisor got. */
  readonly requests: string[];
  /** What the supervisor answers from now on. */
  readonly answers: { reload: Answer | Promise<Answer>; status: Answer };
  readonly serve: () => Promise<void>;
  readonly stopServing: () => Promise<void>;
  /** `apply` and `applySet` resolve once the file is checked, and `tell` once HAProxy has it. */
  readonly applier: (options?: Partial<ApplierOptions>) => {
    readonly apply: (text: string, signal: AbortSignal, mode?: number) => ReturnType<Applier['apply']>;
    readonly applySet: (set: Rendered, signal: AbortSignal) => ReturnType<Applier['apply']>;
    readonly tell: (text: string, signal: AbortSignal) => ReturnType<Applier['apply']>;
    readonly settle: Applier['settle'];
    readonly retryRejected: Applier['retryRejected'];
  };
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
    applier: (options = {}) => {
      const applier = createApplier({ configPath, check: checkWith(haproxyPath), socketPath, ...options });
      const applySet: Applier['apply'] = async (set, signal) => {
        const outcome = await applier.apply(set, signal);
        const settled = await applier.settle(signal)?.outcome;
        return settled === undefined || settled.kind === 'unchanged' ? outcome : settled;
      };
      const apply = (text: string, signal: AbortSignal, mode = 0o100640) => applySet({ text, mode }, signal);
      const tell = (text: string, signal: AbortSignal) => applier.apply({ text, mode: 0o640 }, signal);
      return { ...applier, apply, applySet, tell };
    },
    [Symbol.asyncDispose]: async () => {
      await close();
      rmSync(directory, { recursive: true });
    },
  };
}

/** A status answer of a supervisor whose current generation serves this text. */
export function serving(text: string): Answer {
  return { ok: true, current: { configSha256: createHash('sha256').update(text).digest('hex') } };
}

/** A small configuration that HAProxy takes; different ports give different texts. */
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
