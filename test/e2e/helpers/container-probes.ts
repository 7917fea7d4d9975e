import { setTimeout } from 'node:timers/promises';
import type { PodContainer, Probe, ProbeKind } from './pod-manifest.ts';

const LOOK_EVERY_MS = 1_000;

/** One container from its start to its end, as its probes see it. */
export interface ProbedLife {
  readonly ask: (probe: Probe) => Promise<boolean>;
  readonly isAlive: () => boolean;
  readonly onAnswer: (kind: ProbeKind, ok: boolean) => void;
  readonly onReady: (ready: boolean) => void;
  readonly signal: AbortSignal;
}

/**
 * As the kubelet: until the startup probe has succeeded once no other is asked; then liveness and readiness are, each with a
 * period of its own. A container without a probe has passed it. Resolves with `failed` where startup or liveness failed as
 * often in a row as the manifest allows, with `ended` where the container ended by itself, or nobody watches any more.
 */
export async function probeContainer(container: PodContainer, life: ProbedLife): Promise<'failed' | 'ended'> {
  const { startupProbe, livenessProbe, readinessProbe } = container;
  const over = new AbortController();
  const signal = AbortSignal.any([life.signal, over.signal]);
  life.onReady(false);
  const started = await poll('startupProbe', startupProbe, { ...life, signal }, (ok, failures) => {
    if (ok) return 'started';
    return failures >= (startupProbe?.failureThreshold ?? 0) ? 'failed' : undefined;
  });
  if (started === 'failed' || started === 'ended') return started;
  if (readinessProbe === undefined) life.onReady(true);
  const ready = poll('readinessProbe', readinessProbe, { ...life, signal }, (ok, failures) => {
    if (ok) life.onReady(true);
    else if (failures >= (readinessProbe?.failureThreshold ?? 0)) life.onReady(false);
    return undefined;
  });
  const lives = await poll('livenessProbe', livenessProbe, { ...life, signal }, (_, failures) =>
    failures >= (livenessProbe?.failureThreshold ?? 0) ? 'failed' : undefined,
  );
  // Without a liveness probe it lives until it ends.
  while (lives === 'none' && !signal.aborted && life.isAlive()) await pause(LOOK_EVERY_MS, signal);
  over.abort();
  await ready;
  life.onReady(false);
  return lives === 'failed' ? 'failed' : 'ended';
}

/** Asks until `judge` has a verdict, told how many failures in a row there were; without a probe that is `none`. */
async function poll<Verdict extends string>(
  kind: ProbeKind,
  probe: Probe | undefined,
  { ask, isAlive, onAnswer, signal }: Omit<ProbedLife, 'onReady'>,
  judge: (ok: boolean, failures: number) => Verdict | undefined,
): Promise<Verdict | 'ended' | 'none'> {
  if (probe === undefined) return 'none';
  let failures = 0;
  await pause(probe.initialDelaySeconds * 1_000, signal);
  while (!signal.aborted && isAlive()) {
    const ok = await ask(probe);
    if (signal.aborted || !isAlive()) break;
    onAnswer(kind, ok);
    failures = ok ? 0 : failures + 1;
    const verdict = judge(ok, failures);
    if (verdict !== undefined) return verdict;
    await pause(probe.periodSeconds * 1_000, signal);
  }
  return 'ended';
}

/** Ends at once on the signal. */
export async function pause(durationMs: number, signal: AbortSignal): Promise<void> {
  await setTimeout(durationMs, undefined, { signal }).catch(() => {});
}
