import { type Html, html, type Piece } from './html.ts';

export interface Row {
  /** Names the row in announcements of changes: `API server cp-3`. */
  readonly about?: string;
  /** The text announced when it changes: `is down`. It contains no ages and counts. */
  readonly tell?: string;
  /** As many as there are columns; the first one is the row's header. */
  readonly cells: readonly Piece[];
}

/** Each column's name, and the class under which the style sheet knows it. */
export type Columns = Readonly<Record<string, string>>;

/**
 * A table. Its roles are written out: on a narrow screen the style sheet lays rows out as blocks, and not every browser
 * takes what is laid out like that for a table.
 */
export function table(label: string, style: string, columns: Columns, rows: readonly Row[]): Html {
  const heads = Object.entries(columns).map(
    ([name, column]) => html`<th role="columnheader" scope="col" class="${column}">${name}</th>`,
  );
  return html`<table role="table" class="${style}" aria-label="${label}">
<thead role="rowgroup"><tr role="row">${heads}</tr></thead>
<tbody role="rowgroup">${rows.map((row) => rowOf(row, columns))}</tbody>
</table>`;
}

function rowOf({ about, tell, cells }: Row, columns: Columns): Html {
  const told = about === undefined || tell === undefined ? null : toldOf(about, tell);
  const shown = Object.values(columns).map((column, index) =>
    index === 0
      ? html`<th role="rowheader" scope="row" class="${column}">${cells[index]}</th>`
      : html`<td role="cell" class="${column}">${cells[index]}</td>`,
  );
  return html`<tr role="row"${told}>${shown}</tr>\n`;
}

/** Attributes that let the browser say what has changed, and nothing else, to a screen reader. */
export function toldOf(about: string, tell: string): Html {
  return html` data-about="${about}" data-tell="${tell}"`;
}
