import { ageText, countText } from '../../../engine/system/text/readable-text.ts';
import type { ClusterStatus, NodeStatus } from '../../status/node-status.ts';
import { type StatusLabel, statusLabel } from './status-label.ts';

export interface ServersView {
  /** `3 of 3 up`. */
  readonly summary: StatusLabel;
  /** What needs a look first. */
  readonly troubled: readonly ServerView[];
  readonly well: readonly ServerView[];
  /** Why a list that was seen is not used; null where it is. */
  readonly held: string | null;
}

export interface ServerView {
  readonly name: string;
  readonly address: string;
  readonly state: StatusLabel;
  /** `3 h`. */
  readonly forLong: string;
  readonly check: string;
  readonly sessions: number;
}

type Server = NonNullable<NodeStatus['servers']>[number];

const STATES: Readonly<Record<Server['state'], StatusLabel>> = {
  up: statusLabel('good', 'up'),
  down: statusLabel('bad', 'down'),
  draining: statusLabel('busy', 'draining'),
  maintenance: statusLabel('idle', 'maintenance'),
  unchecked: statusLabel('unknown', 'not checked'),
};

export function serversView({ here }: ClusterStatus): ServersView {
  const servers = here.servers?.map(serverView) ?? [];
  const isWell = ({ state }: ServerView): boolean => state.tone === 'good';
  const well = servers.filter(isWell);
  return {
    summary: summaryOf(here.servers, well.length),
    troubled: servers.filter((server) => !isWell(server)),
    well,
    held: here.haproxyMonitor?.held ?? null,
  };
}

function serverView({ name, address, state, sinceMs, check, sessions }: Server): ServerView {
  return { name, address, state: STATES[state], forLong: ageText(sinceMs), check, sessions };
}

function summaryOf(servers: NodeStatus['servers'], up: number): StatusLabel {
  if (servers === null) return statusLabel('unknown', 'HAProxy does not answer');
  if (servers.length === 0) return statusLabel('bad', 'HAProxy has no server');
  if (up === servers.length) return statusLabel('good', `${countText(up, 'server')}, all up`);
  return statusLabel(up === 0 ? 'bad' : 'warn', `${up} of ${countText(servers.length, 'server')} up`);
}
