import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { codeOf } from '../../../src/engine/system/errors.ts';
import { isAlive, readProcess } from '../../../src/engine/system/process/processes.ts';
import { askProbe } from './ask-probe.ts';
import { pause, probeContainer } from './container-probes.ts';
import type { Machine } from './machine.ts';
import { type Pod, type PodContainer, type Probe, type ProbeKind, parsePod } from './pod-manifest.ts';
import { containerState, playPod, removePod } from './pod-runner.ts';

export interface ProbeResult {
  readonly container: string;
  readonly kind: ProbeKind;
  readonly ok: boolean;
}

/** Stands in for the kubelet on one machine, for static pods: manifest folder, volumes, probes, grace periods. */
export interface Kubelet {
  /** Every probe result so far. */
  probes(): readonly ProbeResult[];
  /** Containers that were restarted because a probe failed too often. */
  killed(): readonly string[];
  /** Why pods could not be started, one text per attempt. */
  troubles(): readonly string[];
  /** Whether every container of a pod is ready, by its last probe results. */
  isReady(pod: string): boolean;
  /** Runs a container's liveness probe now. */
  probe(pod: string, container: string): Promise<boolean>;
  /** Stops the kubelet; its pods keep running. Resolves once nothing is in progress. */
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
 * `patience` multiplies the probe timeouts of the manifest: here every probe has to start podman, and several nodes
 * share the CPUs of one.
 */
export function startKubelet(machine: Machine, patience: number): Kubelet {
  const stop = new AbortController();
  const running = new Map<string, Running>();
  const probes: ProbeResult[] = [];
  const killed: string[] = [];
  const troubles: string[] = [];
  const ready = new Map<string, boolean>();
  const journal = { probes, killed, ready };
  const watches: Promise<void>[] = [];
  const ask: Ask = (container, probe) => askProbe(machine, container, probe, patience);

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
    watches.push(watchPod(machine, pod, { ask, signal: probing.signal, journal }));
  };
  const sync = async (file: string, text: string | undefined) => {
    const old = running.get(file);
    if (old?.text === text) return;
    try {
      if (old !== undefined) await remove(file, old);
      if (text !== undefined) await play(file, text);
    } catch (error) {
      // Retried, as by the kubelet.
      if (!stop.signal.aborted) troubles.push(String(error));
    }
  };
  const loop = async () => {
    while (!stop.signal.aborted) {
      const wanted = readManifests(machine.at(MANIFESTS));
      // In parallel: a pod that is slow to end must not delay the others.
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
    isReady: (podName) => {
      const pod = [...running.values()].find((each) => each.pod.metadata.name === podName)?.pod;
      return pod?.spec.containers.every(({ name }) => ready.get(`${podName}/${name}`) === true) ?? false;
    },
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

/** The kubelet skips files that begin with a dot. */
function readManifests(dir: string): ReadonlyMap<string, string> {
  const files = readdirSync(dir).filter((name) => name.endsWith('.yaml') && !name.startsWith('.'));
  return new Map(
    files.flatMap((name): readonly (readonly [string, string])[] => {
      try {
        return [[name, readFileSync(join(dir, name), 'utf8')]];
      } catch (error) {
        // Removed since it was listed.
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
  readonly journal: Journal;
}

interface Journal {
  readonly probes: ProbeResult[];
  readonly killed: string[];
  /** Per container, by `pod/name`. */
  readonly ready: Map<string, boolean>;
}

async function watchPod(machine: Machine, pod: Pod, watch: Watch): Promise<void> {
  await Promise.all(
    pod.spec.containers.map(async (container) => {
      while (!watch.signal.aborted) await watchLife(machine, pod, container, watch);
    }),
  ).catch((error: unknown) => {
    if (!watch.signal.aborted) throw error;
  });
}

/** Between two checks for a process that is not there yet. */
const LOOK_FOR_PROCESS_MS = 200;

/** Resolves once the container has ended, by itself or because a probe failed too often. */
async function watchLife(
  machine: Machine,
  { metadata, spec }: Pod,
  container: PodContainer,
  { ask, signal, journal }: Watch,
): Promise<void> {
  const name = `${metadata.name}/${container.name}`;
  const { pid } = await containerState(machine, metadata.name, container.name);
  const process = readProcess(pid)?.id;
  if (process === undefined) return await pause(LOOK_FOR_PROCESS_MS, signal);
  const end = await probeContainer(container, {
    ask: (probe) => ask(`${metadata.name}-${container.name}`, probe),
    isAlive: () => isAlive(process),
    onAnswer: (kind, ok) => journal.probes.push({ container: name, kind, ok }),
    onReady: (ready) => journal.ready.set(name, ready),
    signal,
  });
  if (end === 'ended' || signal.aborted) return;
  journal.killed.push(name);
  const grace = String(spec.terminationGracePeriodSeconds);
  await machine.engine.attempt(['restart', '--time', grace, `${metadata.name}-${container.name}`]);
}
