import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { codeOf } from '../../../src/engine/system/errors.ts';
import type { ProcessId } from '../../../src/engine/system/process/process-id.ts';
import { isAlive, readProcess } from '../../../src/engine/system/process/processes.ts';
import { askLiveness } from './liveness.ts';
import type { Machine } from './machine.ts';
import { type Pod, type Probe, parsePod } from './pod-manifest.ts';
import { containerState, playPod, removePod } from './pod-runner.ts';

export interface ProbeResult {
  readonly container: string;
  readonly ok: boolean;
}

/** Plays the kubelet on one machine for static pods: manifests folder, volumes, probes, grace periods. */
export interface Kubelet {
  /** Every answer to a probe so far. */
  probes(): readonly ProbeResult[];
  /** Containers that were restarted because their probe had failed too often. */
  killed(): readonly string[];
  /** Why pods could not be started, one text an attempt. */
  troubles(): readonly string[];
  /** Asks a container's probe now. */
  probe(pod: string, container: string): Promise<boolean>;
  /** As if the kubelet had ended: its pods go on. Resolves when nothing is under way any more. */
  stop(): Promise<void>;
}

interface Running {
  readonly text: string;
  readonly pod: Pod;
  readonly probing: AbortController;
}

const LOOK_EVERY_MS = 300;
export const MANIFESTS = '/etc/kubernetes/manifests';

/**
 * `patience`: how many times as long as the manifest says an answer to a probe may take. Here podman has to start for it,
 * and several nodes share the processors of one.
 */
export function startKubelet(machine: Machine, patience: number): Kubelet {
  const stop = new AbortController();
  const running = new Map<string, Running>();
  const probes: ProbeResult[] = [];
  const killed: string[] = [];
  const troubles: string[] = [];
  const journal = { probes, killed };
  const watches: Promise<void>[] = [];
  const ask: Ask = (container, probe) => askLiveness(machine, container, probe, patience);

  const remove = async (file: string, { pod, probing }: Running) => {
    probing.abort();
    await removePod(machine, pod);
    running.delete(file);
  };
  const play = async (file: string, text: string) => {
    const pod = parsePod(text);
    await playPod(machine, pod);
    const probing = new AbortController();
    running.set(file, { text, pod, probing });
    watches.push(watchLiveness(machine, pod, { ask, signal: probing.signal, journal }));
  };
  const sync = async (file: string, text: string | undefined) => {
    const old = running.get(file);
    if (old?.text === text) return;
    try {
      if (old !== undefined) await remove(file, old);
      if (text !== undefined) await play(file, text);
    } catch (error) {
      // It is tried again, as the kubelet does.
      if (!stop.signal.aborted) troubles.push(String(error));
    }
  };
  const loop = async () => {
    while (!stop.signal.aborted) {
      const wanted = readManifests(machine.at(MANIFESTS));
      // Each pod for itself: one that takes its time to end holds up no other.
      await Promise.all(
        [...new Set([...running.keys(), ...wanted.keys()])].map((file) => sync(file, wanted.get(file))),
      );
      await pause(LOOK_EVERY_MS, stop.signal);
    }
  };
  const done = loop();
  return {
    probes: () => probes,
    killed: () => killed,
    troubles: () => troubles,
    probe: async (podName, container) => {
      const pod = [...running.values()].find((each) => each.pod.metadata.name === podName)?.pod;
      const probe = pod?.spec.containers.find(({ name }) => name === container)?.livenessProbe;
      if (probe === undefined) throw new Error(`Cannot probe "${podName}/${container}": no such probe`);
      return await ask(`${podName}-${container}`, probe);
    },
    stop: async () => {
      stop.abort();
      for (const { probing } of running.values()) probing.abort();
      await Promise.all([done, ...watches]);
    },
  };
}

/** The kubelet leaves out what begins with a dot. */
function readManifests(dir: string): ReadonlyMap<string, string> {
  const files = readdirSync(dir).filter((name) => name.endsWith('.yaml') && !name.startsWith('.'));
  return new Map(
    files.flatMap((name): readonly (readonly [string, string])[] => {
      try {
        return [[name, readFileSync(join(dir, name), 'utf8')]];
      } catch (error) {
        // It was removed since it was listed.
        if (codeOf(error) === 'ENOENT') return [];
        throw error;
      }
    }),
  );
}

type Ask = (containerName: string, probe: Probe) => Promise<boolean>;

interface Watch {
  readonly ask: Ask;
  readonly signal: AbortSignal;
  readonly journal: { readonly probes: ProbeResult[]; readonly killed: string[] };
}

async function watchLiveness(machine: Machine, pod: Pod, watch: Watch): Promise<void> {
  const { name: podName } = pod.metadata;
  const { signal, journal } = watch;
  await Promise.all(
    pod.spec.containers.map(async ({ name, livenessProbe: probe }) => {
      if (probe === undefined) return;
      while (!signal.aborted) {
        await probeUntilDead({ ...watch, machine, pod: podName, name, probe });
        if (signal.aborted) return;
        journal.killed.push(`${podName}/${name}`);
        const grace = String(pod.spec.terminationGracePeriodSeconds);
        await machine.engine.attempt(['restart', '--time', grace, `${podName}-${name}`]);
      }
    }),
  ).catch((error: unknown) => {
    if (!signal.aborted) throw error;
  });
}

interface Watched extends Watch {
  readonly machine: Machine;
  readonly pod: string;
  readonly name: string;
  readonly probe: Probe;
}

/** Resolves once the probe has failed as often in a row as the manifest allows. A container that started anew gets its delay again. */
async function probeUntilDead({ ask, machine, pod, name, probe, signal, journal }: Watched): Promise<void> {
  let failures = 0;
  let process: ProcessId | undefined;
  while (!signal.aborted) {
    if (process === undefined || !isAlive(process)) {
      const { pid } = await containerState(machine, pod, name);
      process = readProcess(pid)?.id;
      failures = 0;
      await pause(probe.initialDelaySeconds * 1_000, signal);
      continue;
    }
    const ok = await ask(`${pod}-${name}`, probe);
    if (signal.aborted) return;
    journal.probes.push({ container: `${pod}/${name}`, ok });
    failures = ok ? 0 : failures + 1;
    if (failures >= probe.failureThreshold) return;
    await pause(probe.periodSeconds * 1_000, signal);
  }
}

/** Ends at once where the signal says so. */
async function pause(durationMs: number, signal: AbortSignal): Promise<void> {
  await setTimeout(durationMs, undefined, { signal }).catch(() => {});
}
