import { setTimeout } from 'node:timers/promises';
import type { PodContainer, Probe, ProbeKind } from './pod-manifest.ts';

const LOOK_EVERY_MS = 1_000;

/** One run of a container, as its probes see it. */
export interface ProbedLife {
  readonly ask: (probe: Probe) => Promise<boolean>;
  readonly isAlive: () => boolean;
  readonly onAnswer: (kind: ProbeKind, ok: boolean) => void;
  readonly onReady: (ready: boolean) => void;
  readonly signal: AbortSignal;
}

/**
 * Probes like the kubelet: until the startup probe has succeeded once, no other runs; then liveness and readiness run,
 * each with its own period. A missing probe counts as passed. Resolves with `failed` if startup or liveness failed as
 * often in a row as the manifest allows, and with `ended` if the container ended by itself or the watch was stopped.
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
  // Without a liveness probe it runs until it ends.
  while (lives === 'none' && !signal.aborted && life.isAlive()) await pause(LOOK_EVERY_MS, signal);
  over.abort();
  await ready;
  life.onReady(false);
  return lives === 'failed' ? 'failed' : 'ended';
}

/** Probes until `judge` returns a verdict on the number of consecutive failures. Returns `none` without a probe. */
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

/** Ends early on the signal. */
export async function pause(durationMs: number, signal: AbortSignal): Promise<void> {
  await setTimeout(durationMs, undefined, { signal }).catch(() => {});
}
