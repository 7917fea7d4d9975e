import {
  type Row,
  type Section,
  type StatusLabel,
  statusLabel,
  styled,
  type Table,
} from '../../engine/examine/section.ts';
import { ageText, countText } from '../../engine/system/text/readable-text.ts';
import type { ServerRow } from '../server-rows.ts';
import { type ApiLbNode, isDrained } from './api-lb-node.ts';

const STATES: Readonly<Record<ServerRow['state'], StatusLabel>> = {
  up: statusLabel('good', 'up'),
  down: statusLabel('bad', 'down'),
  draining: statusLabel('busy', 'draining'),
  maintenance: statusLabel('idle', 'maintenance'),
  unchecked: statusLabel('unknown', 'not checked'),
};

/** If more servers than this are up, the page folds them, so that servers with problems stay visible. */
const MAX_UNFOLDED = 12;

/** The API servers with HAProxy's message about each. Servers that are not up come first. */
export function serversSection(node: ApiLbNode): Section {
  const { servers, haproxyMonitor } = node;
  const rows = servers ?? [];
  const notUp = rows.filter(({ state }) => state !== 'up').map((row) => serverRow(row, isDrained(node, row)));
  const up = rows.filter(({ state }) => state === 'up').map((row) => serverRow(row, false));
  const isFolded = up.length > MAX_UNFOLDED;
  const folded = { folded: `${up.length} that are up` };
  const tables = [
    serversTable('API servers', isFolded ? notUp : [...notUp, ...up]),
    { ...serversTable('API servers that are up', isFolded ? up : []), ...folded },
  ];
  const held = haproxyMonitor?.held ?? null;
  return {
    id: 'servers',
    title: 'API servers',
    place: 'right',
    parts: [
      {
        summary: summaryOf(servers, up.length),
        tables,
        facts: held === null ? [] : [{ name: 'Held back', text: `a list from the API is not used: ${held}` }],
      },
    ],
  };
}

function summaryOf(servers: ApiLbNode['servers'], up: number): StatusLabel {
  if (servers === null) return statusLabel('unknown', 'HAProxy does not answer');
  if (servers.length === 0) return statusLabel('bad', 'HAProxy has no server');
  if (up === servers.length) return statusLabel('good', `${countText(up, 'server')}, all up`);
  return statusLabel(up === 0 ? 'bad' : 'warn', `${up} of ${countText(servers.length, 'server')} up`);
}

function serversTable(label: string, rows: readonly Row[]): Table {
  return {
    label,
    rows,
    lead: 'state',
    columns: { Server: 'name', State: 'how', For: 'age', 'Last check': 'check', Sessions: 'number' },
  };
}

const DRAINED = statusLabel('idle', 'drained');

function serverRow(row: ServerRow, drained: boolean): Row {
  const { name, address, state, sinceMs, check, sessions } = row;
  return {
    name: [name],
    aside: [address],
    cells: [
      [drained ? DRAINED : STATES[state]],
      [styled('unit', 'for '), ageText(sinceMs)],
      [check],
      sessionsCell(sessions),
    ],
  };
}

/** The cell for a number of sessions; null, which HAProxy did not report, is shown as a dash. */
export function sessionsCell(count: number | null): Row['cells'][number] {
  return [`${count ?? '–'}`, styled('unit', count === 1 ? ' session' : ' sessions')];
}
