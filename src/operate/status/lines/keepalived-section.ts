import { ageText, countText, durationText } from '../../../engine/system/text/readable-text.ts';
import type { NodeStatus } from '../node-status.ts';
import type { VipPriority } from '../priority-text.ts';
import { changeRows, shortHash } from './haproxy-section.ts';
import type { Row, Section, Tone } from './row.ts';

const TONES: Readonly<Record<VipPriority['checks'][number]['state'], Tone>> = {
  ok: 'good',
  doubtful: 'odd',
  failed: 'bad',
  unknown: 'odd',
};

/** What each check of this node has found, for each kind of VIP. */
export function checkSections({ keepalivedMonitor }: NodeStatus): readonly Section[] {
  return (keepalivedMonitor?.priorities ?? []).map(({ kind, checks }) => ({
    title: `Checks of this node for the ${kind} VIP`,
    rows: checks.map(({ check, state, found, sinceMs }) => ({
      word: state,
      tone: TONES[state],
      text: `${check}: ${found}${sinceMs === null ? '' : `, for ${ageText(sinceMs)}`}`,
    })),
  }));
}

export function keepalivedSection({ keepalivedSupervisor, keepalivedMonitor }: NodeStatus): Section {
  return {
    title: 'keepalived',
    rows: [
      ...(keepalivedSupervisor === null ? [] : [runningRow(keepalivedSupervisor)]),
      ...(keepalivedMonitor === null ? [] : monitorRows(keepalivedMonitor)),
    ],
  };
}

function runningRow({
  current,
  phase,
  wanted,
  restarts,
}: NonNullable<NodeStatus['keepalivedSupervisor']>): Row {
  if (current === null) {
    const why = wanted === 'down' ? 'it was asked to stop' : phase;
    return { word: 'running', tone: 'bad', text: `nothing: ${why}` };
  }
  const { pid, ageMs, configSha256 } = current;
  return {
    word: 'running',
    tone: 'good',
    text: `pid ${pid} for ${ageText(ageMs)}, ${countText(restarts, 'restart')}, configuration ${shortHash(configSha256)}`,
  };
}

function monitorRows({
  clusterName,
  profile,
  mode,
  planned,
  lastChange,
}: NonNullable<NodeStatus['keepalivedMonitor']>): readonly Row[] {
  return [
    { word: 'speaks', text: `${profile}, ${mode}, cluster ${clusterName ?? 'not known yet: no kubeconfig'}` },
    ...(planned === null
      ? []
      : [{ word: 'planned', text: `${planned.change} in ${durationText(planned.inMs)}` }]),
    ...changeRows(lastChange),
  ];
}
