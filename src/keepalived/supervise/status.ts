import { describeShared, withAge } from '../../engine/supervise/describe-shared.ts';
import type { VrrpSupervisorState } from './state.ts';
import type { VrrpStatus } from './vrrp-status.ts';

type State = VrrpSupervisorState;

/** The supervisor's status for operators, monitors and probes. */
export function describeState(
  state: State,
  observed: { readonly present: ReadonlySet<string>; readonly trackFiles: VrrpStatus['trackFiles'] },
  now: number,
): VrrpStatus {
  const { lastTransition } = state;
  return {
    ok: true,
    phase: phaseOf(state),
    wanted: state.wanted,
    current: currentOf(state, now),
    instances: instancesOf(state, observed.present, now),
    trackFiles: observed.trackFiles,
    restarts: state.restarts,
    lastTransition: lastTransition === undefined ? null : withAge(lastTransition, now),
    ...describeShared(state, state.job, now),
  };
}

function phaseOf({ phase, wanted, daemon, job, restart }: State): VrrpStatus['phase'] {
  if (phase !== 'running') return phase;
  if (daemon.kind === 'up') return 'running';
  if (wanted !== 'up' && daemon.kind !== 'none') return 'stopping';
  if (wanted === 'down') return 'down';
  return job === undefined && restart.at === undefined ? 'waiting-for-configuration' : 'starting';
}

function currentOf({ daemon, configuration }: State, now: number): VrrpStatus['current'] {
  if (daemon.kind !== 'up') return null;
  return {
    pid: daemon.id.pid,
    ageMs: Math.round(now - daemon.since),
    generation: configuration?.number ?? 0,
    configSha256: configuration?.sha256 ?? '',
  };
}

function instancesOf(
  { configuration, instances, daemon }: State,
  present: ReadonlySet<string>,
  now: number,
): VrrpStatus['instances'] {
  return (configuration?.instances ?? []).map(({ name, vips, masterDownMs }) => {
    const reported = instances.find((each) => each.name === name);
    const hasWaited = reported?.state === 'BACKUP' && now - reported.since > masterDownMs;
    return {
      name,
      state: reported?.state ?? 'UNKNOWN',
      priority: reported?.priority ?? 0,
      sinceMs: reported === undefined ? 0 : Math.round(now - reported.since),
      hearsHolder: hasWaited && daemon.kind === 'up' && daemon.pulse?.hung !== true,
      vips: vips.map(({ address }) => ({ address, present: present.has(address) })),
    };
  });
}
