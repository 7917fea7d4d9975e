import type { ServersView, ServerView } from '../view/servers.ts';
import { type Html, html } from './html.ts';
import { state } from './icons.ts';
import { sessionsCell } from './sessions.ts';
import { type Column, table } from './table.ts';

/** More servers that are up than this are folded away: those that are not have to be seen. */
const MOST_WELL = 12;

export function serversSection({ summary, troubled, well, held }: ServersView): Html {
  const isFolded = well.length > MOST_WELL;
  const shown = isFolded ? troubled : [...troubled, ...well];
  return html`<section class="servers" aria-labelledby="servers">
<h2 id="servers">API servers</h2>
<p class="summary">${state(summary)}</p>
${held === null ? null : html`<p class="note">A list that was seen is not used: ${held}</p>`}
${shown.length === 0 ? null : serversTable('API servers', shown)}
${isFolded ? html`<details><summary>${well.length} that are up</summary>${serversTable('API servers that are up', well)}</details>` : null}
</section>`;
}

const columns: readonly Column[] = [
  ['Server', 'name'],
  ['State', 'how'],
  ['For', 'age'],
  ['Last check', 'check'],
  ['Sessions', 'number'],
];

function serversTable(label: string, servers: readonly ServerView[]): Html {
  const rows = servers.map(({ name, address, state: how, forLong, check, sessions }) => ({
    about: `API server ${name}`,
    tell: how.words,
    cells: [
      html`${name} <span class="aside mono">${address}</span>`,
      state(how),
      html`<span class="unit">for </span>${forLong}`,
      html`<span class="mono">${check}</span>`,
      sessionsCell(sessions),
    ],
  }));
  return table(label, 'server-list', columns, rows);
}
