import { loadBalancerFacts } from '../../haproxy/load-balancer-facts.ts';
import type { VrrpFacts } from '../../keepalived/vrrp-facts.ts';
import { vrrpFacts } from '../../keepalived/vrrp-facts.ts';
import type { NodeNow, ProposedChange } from './change-cost.ts';
import type { DaemonSettings } from './daemon-settings.ts';
import type { Found } from './propose-files.ts';
import type { ProposedFile } from './proposed-file.ts';
import type { Restart } from './restarts.ts';

/** The manifests' values, for a supervisor that does not run. */
const USUAL = { forceDeleteTimeout: 120_000, drainTimeout: 55_000, monitorTimeout: 3_000 };

export interface SettingsChange {
  readonly before: DaemonSettings;
  readonly after: DaemonSettings;
  readonly restarts: readonly Restart[];
}

/** The facts from which the cost is judged. */
export function proposedChange(found: Found, { before, after, restarts }: SettingsChange): ProposedChange {
  const [old, next] = [before['haproxy monitor'], after['haproxy monitor']];
  return {
    haproxy: haproxyChange(found),
    keepalived: keepalivedChange(found, before),
    restarts: new Set(restarts.map(({ container }) => container)),
    vipPort: { before: old?.apiPort ?? 0, after: next?.apiPort ?? 0 },
    healthPort: { before: old?.healthPort ?? 0, after: next?.healthPort ?? 0 },
    now: nodeNow(found, before),
  };
}

function haproxyChange({ haproxy: file, haproxyStatus }: Found): ProposedChange['haproxy'] {
  if (file?.after === undefined || !isTaken(file)) return undefined;
  return {
    before: file.before === undefined ? undefined : loadBalancerFacts(file.before),
    after: loadBalancerFacts(file.after),
    isReloaded: haproxyStatus !== undefined && file.state.kind !== 'same',
  };
}

function keepalivedChange(
  { keepalived: file, keepalivedStatus, runningKeepalived }: Found,
  settings: DaemonSettings,
): ProposedChange['keepalived'] {
  const running = runningKeepalived === undefined ? undefined : vrrpFacts(runningKeepalived);
  const after = file?.after !== undefined && isTaken(file) ? vrrpFacts(file.after) : running;
  if (after === undefined) return undefined;
  const isAlone = file?.isAlone ?? isAloneIn(after);
  const asked = settings['keepalived monitor']?.mode;
  return {
    before: running,
    after,
    isReloaded:
      keepalivedStatus !== undefined && file !== undefined && isTaken(file) && file.state.kind !== 'same',
    // keepalived on a single node uses multicast although the flags do not ask for it, as it has no peers.
    wasAlone: running !== undefined && asked !== 'multicast' ? isAloneIn(running) : isAlone,
    isAlone,
  };
}

function isTaken({ state }: ProposedFile): boolean {
  return state.kind === 'same' || state.kind === 'differs' || state.kind === 'not-served';
}

function isAloneIn({ instances }: VrrpFacts): boolean {
  return instances.every(({ mode }) => mode === 'multicast');
}

function nodeNow({ haproxyStatus, keepalivedStatus }: Found, settings: DaemonSettings): NodeNow {
  const haproxy = settings['haproxy supervise'];
  const masters = keepalivedStatus?.instances.filter(({ state }) => state === 'MASTER') ?? [];
  return {
    sessions: haproxyStatus?.current?.sessions ?? undefined,
    forceDeleteTimeoutMs: haproxy?.forceDeleteTimeout ?? USUAL.forceDeleteTimeout,
    drainTimeoutMs: haproxy?.drainTimeout ?? USUAL.drainTimeout,
    monitorTimeoutMs: settings['keepalived supervise']?.monitorTimeout ?? USUAL.monitorTimeout,
    held: new Set(masters.map(({ name }) => name)),
  };
}
