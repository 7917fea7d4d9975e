import { type Html, html } from './html.ts';

/** A cell of a column that is called Sessions: on a phone, where the columns have no names, it says so itself. */
export function sessionsCell(count: number | null): Html {
  return html`${count ?? '–'}<span class="unit"> ${count === 1 ? 'session' : 'sessions'}</span>`;
}
