import { type DaemonChange, monitorHere, type NodeChange } from '../cli/node-change.ts';
import { sha256Of } from '../engine/apply/file-set.ts';
import { askStatus } from '../engine/control/ask-status.ts';
import {
  type DryRun,
  dryRunFile,
  isTaken,
  type ProposedFile,
  type Trial,
} from '../engine/reconcile/dry-run.ts';
import { quietObservers } from '../engine/reconcile/observers.ts';
import { propose } from '../engine/reconcile/proposal.ts';
import { presentAddresses } from '../engine/system/network/interface-addresses.ts';
import { createWake } from '../engine/system/time/wake.ts';
import { loadBalancerFacts } from '../haproxy/load-balancer-facts.ts';
import { differenceOf } from '../haproxy/runtime/difference.ts';
import { haproxySuperviseCommand } from '../haproxy/supervise/haproxy-supervise-settings.ts';
import { type SupervisorStatus, supervisorStatusSchema } from '../haproxy/supervise/supervisor-status.ts';
import { haproxyConfiguration } from './haproxy-configuration.ts';
import { createHaproxyMonitorMetrics } from './haproxy-monitor-metrics.ts';
import { type HaproxyMonitorSettings, haproxyMonitorCommand } from './haproxy-monitor-settings.ts';
import { type LoadBalancerChange, loadBalancerEffects } from './load-balancer-cost.ts';
import { hearServerList } from './open-server-list.ts';

/** The manifest's values, for a supervisor that does not run. */
const USUAL = { forceDeleteTimeout: 120_000, drainTimeout: 55_000 };

/** What the monitor would make of other settings, and what HAProxy's clients would notice. */
export async function dryRun({ daemon, restarts, timeoutMs }: NodeChange): Promise<DryRun> {
  const monitor = daemon(haproxyMonitorCommand);
  const supervisor = daemon(haproxySuperviseCommand);
  if (monitor === undefined && supervisor === undefined) return { files: [], effects: [], unknowns: [] };
  const socket = await supervisor?.locate(supervisor.before.socket);
  const { status, unknowns } = await askStatus('haproxy', socket, supervisorStatusSchema, timeoutMs);
  const current = status?.current ?? undefined;
  const sessions = current?.sessions ?? undefined;
  const file = monitor && (await proposed(monitor, current?.configSha256, timeoutMs));
  const { forceDeleteTimeout, drainTimeout } = supervisor?.before ?? USUAL;
  const present = presentAddresses();
  const effects = loadBalancerEffects({
    configuration: file && configurationChange(file, status),
    vipPort: { before: monitor?.before.apiPort ?? 0, after: monitor?.after.apiPort ?? 0 },
    heldVips: (monitor?.before.vips ?? []).filter((vip) => present.has(vip)),
    ...{ restarts, sessions, forceDeleteTimeoutMs: forceDeleteTimeout, drainTimeoutMs: drainTimeout },
  });
  return { files: file === undefined ? [] : [file], effects, sessions, unknowns };
}

async function proposed(
  monitor: DaemonChange<HaproxyMonitorSettings>,
  servedSha256: string | undefined,
  timeoutMs: number,
): Promise<ProposedFile> {
  const { before, at } = monitor;
  const place = { program: 'haproxy', path: before.config, at: at(before.config) };
  return await dryRunFile(place, pass(monitorHere(monitor), servedSha256, timeoutMs));
}

/** A pass of the monitor, as if the list had settled. */
async function pass(
  here: HaproxyMonitorSettings,
  servedSha256: string | undefined,
  timeoutMs: number,
): Promise<Trial> {
  const settings = { ...here, settle: 0 };
  const observers = quietObservers(createHaproxyMonitorMetrics);
  const { list, remarks } = await hearServerList(settings, observers, timeoutMs);
  const configuration = haproxyConfiguration(settings, createWake(), list, observers);
  const proposal = await propose(configuration, new AbortController().signal);
  return { proposal, servedSha256, check: configuration.check, remarks: remarks() };
}

function configurationChange(
  file: ProposedFile,
  status: SupervisorStatus | undefined,
): LoadBalancerChange['configuration'] {
  const { before, after, state } = file;
  if (after === undefined || !isTaken(file)) return undefined;
  const isRunning = status !== undefined && state.kind !== 'same';
  return {
    before: before === undefined ? undefined : loadBalancerFacts(before),
    after: loadBalancerFacts(after),
    takes: isRunning ? howTaken(file, status) : undefined,
  };
}

/** Only a HAProxy that runs on the file of before, under a supervisor that makes changes, needs no reload. */
function howTaken({ before, after }: ProposedFile, status: SupervisorStatus): 'reload' | 'change' {
  if (before === undefined || after === undefined || status.changes === undefined) return 'reload';
  const isServed = status.current?.configSha256 === sha256Of(before);
  return isServed && differenceOf(before, after).kind !== 'reload' ? 'change' : 'reload';
}
