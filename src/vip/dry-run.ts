import { join } from 'node:path';
import { type DaemonChange, monitorHere, type NodeChange } from '../cli/node-change.ts';
import { askStatus } from '../engine/control/ask-status.ts';
import { clusterNameIn } from '../engine/kube/control-plane/cluster-name.ts';
import { openKubeconfig } from '../engine/kube/kubeconfig.ts';
import {
  type DryRun,
  dryRunFile,
  isTaken,
  type ProposedFile,
  type Trial,
} from '../engine/reconcile/dry-run.ts';
import { quietObservers } from '../engine/reconcile/observers.ts';
import { hearOnce } from '../engine/reconcile/servers/hear-once.ts';
import { readText } from '../engine/system/file/read-text.ts';
import { createWake } from '../engine/system/time/wake.ts';
import { ACCEPTED_FILE } from '../keepalived/argv.ts';
import {
  type KeepalivedSuperviseSettings,
  keepalivedSuperviseCommand,
} from '../keepalived/supervise/keepalived-supervise-settings.ts';
import { vrrpStatusSchema } from '../keepalived/supervise/vrrp-status.ts';
import { type VrrpFacts, vrrpFacts } from '../keepalived/vrrp-facts.ts';
import { createAgreedDialect } from './agreement/agreed-dialect.ts';
import { openNodeLists } from './configuration/node-lists.ts';
import { createVrrpRenderer, gatherInput, keepalivedCheck } from './configuration/vrrp-proposal.ts';
import type { VrrpInput } from './group/vrrp.ts';
import { createKeepalivedMonitorMetrics } from './settings/keepalived-monitor-metrics.ts';
import {
  type KeepalivedMonitorSettings,
  keepalivedMonitorCommand,
  keepalivedSettings,
} from './settings/keepalived-monitor-settings.ts';
import { type VrrpChange, vrrpEffects } from './vrrp-cost.ts';

type SupervisorChange = DaemonChange<KeepalivedSuperviseSettings>;

/** The manifest's value, for a supervisor that does not run. */
const USUAL = { monitorTimeout: 3_000 };

/** What the monitor would make of other settings, and what becomes of the VIPs. */
export async function dryRun({ daemon, restarts, timeoutMs }: NodeChange): Promise<DryRun> {
  const monitor = daemon(keepalivedMonitorCommand);
  const supervisor = daemon(keepalivedSuperviseCommand);
  if (monitor === undefined && supervisor === undefined) return { files: [], effects: [], unknowns: [] };
  const socket = await supervisor?.locate(supervisor.before.socket);
  const { status, unknowns } = await askStatus('keepalived', socket, vrrpStatusSchema, timeoutMs);
  const proposed = monitor && (await propose(monitor, status?.current?.configSha256, timeoutMs));
  const running = (await acceptedBy(supervisor)) ?? proposed?.file.before;
  const facts = factsOf(proposed, running, monitor?.before.mode);
  const masters = status?.instances.filter(({ state }) => state === 'MASTER') ?? [];
  const isTold = status !== undefined && proposed !== undefined && isTaken(proposed.file);
  const effects =
    facts &&
    vrrpEffects({
      ...facts,
      restarts,
      isReloaded: isTold && proposed.file.state.kind !== 'same',
      healthPort: { before: monitor?.before.healthPort ?? 0, after: monitor?.after.healthPort ?? 0 },
      monitorTimeoutMs: (supervisor?.before ?? USUAL).monitorTimeout,
      held: new Set(masters.map(({ name }) => name)),
    });
  return { files: proposed ? [proposed.file] : [], effects: effects ?? [], unknowns };
}

interface Proposed {
  readonly file: ProposedFile;
  /** No other node would share the VIPs; undefined if unknown. */
  readonly isAlone: boolean | undefined;
}

async function propose(
  monitor: DaemonChange<KeepalivedMonitorSettings>,
  servedSha256: string | undefined,
  timeoutMs: number,
): Promise<Proposed> {
  const { before, after, at } = monitor;
  const here = { ...monitorHere(monitor), monitorConf: after.monitorConf.map(at) };
  const trial = pass(here, servedSha256, timeoutMs);
  const file = await dryRunFile({ program: 'keepalived', path: before.config, at: at(before.config) }, trial);
  return { file, isAlone: await trial.then(({ isAlone }) => isAlone).catch(() => undefined) };
}

/** A pass of the monitor, as if the lists had settled. Rejects as `inputNow` does. */
async function pass(
  here: KeepalivedMonitorSettings,
  servedSha256: string | undefined,
  timeoutMs: number,
): Promise<Trial & { readonly isAlone?: boolean }> {
  const { input, remarks } = await inputNow(here, timeoutMs);
  const common = { servedSha256, remarks, check: keepalivedCheck(here) };
  if (input === undefined) return { ...common, proposal: { kind: 'unknown' } };
  const found = await createVrrpRenderer(here.template, quiet())(input);
  if (found.kind === 'not-ready') {
    const message = `This node would not take part: ${found.reason}`;
    return { ...common, proposal: { kind: 'refused', message } };
  }
  const isAlone = found.model.instances.every(({ peers }) => peers.length === 0);
  return { ...common, proposal: found, isAlone };
}

const quiet = () => quietObservers(createKeepalivedMonitorMetrics);

/**
 * The input of the monitor's model as it would be now, undefined if a list is unknown, and remarks for the reader. Rejects
 * if the kubeconfig with the cluster's name cannot be read.
 */
export async function inputNow(
  settings: KeepalivedMonitorSettings,
  timeoutMs: number,
): Promise<{ readonly input: VrrpInput | undefined; readonly remarks: readonly string[] }> {
  const observers = quiet();
  const kubeconfig = openKubeconfig(settings.kubeconfig, observers.log);
  const clusterName = settings.clusterName ?? (await clusterNameIn(kubeconfig));
  const dialect = createAgreedDialect(settings, observers, async () => undefined);
  await dialect.switchIfDue(undefined);
  const [wake, stop] = [createWake(), new AbortController()];
  const around = { kubeconfig, wake };
  const opened = await openNodeLists({ ...settings, settle: 0 }, around, observers, stop.signal);
  const lists = opened.lists.map(({ list }) => list);
  const listRemarks = await hearOnce('nodes', { ...opened, lists, wake }, timeoutMs);
  const modelSettings = { ...keepalivedSettings(settings, clusterName), ...dialect.now() };
  const { input } = await gatherInput(opened.lists, modelSettings, stop.signal);
  stop.abort();
  const planned = dialect.planned();
  const agreed = planned && `a change from ${planned.change} is agreed for ${timeIn(planned.inMs)}`;
  return { input, remarks: [...new Set([agreed ?? [], ...listRemarks()].flat())] };
}

/** To the second, since time passes while this is asked. */
function timeIn(ms: number): string {
  return new Date(Math.round((Date.now() + ms) / 1_000) * 1_000).toISOString();
}

/** The configuration that keepalived runs on, by its supervisor's copy. */
async function acceptedBy(supervisor: SupervisorChange | undefined): Promise<string | undefined> {
  if (supervisor === undefined) return undefined;
  return readText(await supervisor.locate(join(supervisor.before.runDir, ACCEPTED_FILE))) || undefined;
}

/** Undefined if nothing is known of a configuration. `mode` is that of the settings. */
function factsOf(
  proposed: Proposed | undefined,
  running: string | undefined,
  mode: string | undefined,
): Pick<VrrpChange, 'before' | 'after' | 'wasAlone' | 'isAlone'> | undefined {
  const text = proposed !== undefined && isTaken(proposed.file) ? proposed.file.after : undefined;
  const before = running === undefined ? undefined : vrrpFacts(running);
  const after = text === undefined ? before : vrrpFacts(text);
  if (after === undefined) return undefined;
  const isAlone = proposed?.isAlone ?? isAloneIn(after);
  // keepalived on a single node uses multicast although the flags do not ask for it, as it has no peers.
  const wasAlone = before !== undefined && mode !== 'multicast' ? isAloneIn(before) : isAlone;
  return { before, after, wasAlone, isAlone };
}

function isAloneIn({ instances }: VrrpFacts): boolean {
  return instances.every(({ mode }) => mode === 'multicast');
}
