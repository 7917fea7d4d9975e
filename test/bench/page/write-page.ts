import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { renderPage } from './page.ts';
import { readResults } from './results.ts';

/** Writes the pages and their charts below `docs` from the results in `folder`, and removes all other charts. */
export function writePage(folder: string, docs: string): void {
  const files = renderPage(readResults(folder));
  const charts = join(docs, 'performance');
  mkdirSync(charts, { recursive: true });
  mkdirSync(join(docs, 'internals'), { recursive: true });
  for (const name of readdirSync(charts)) if (name.endsWith('.svg')) rmSync(join(charts, name));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(docs, name), text);
}
