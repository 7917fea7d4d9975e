import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { renderPage } from './page.ts';
import { readResults } from './results.ts';

/** Writes docs/performance.md and its charts below `docs` from the results in `folder`; charts of before are removed. */
export function writePage(folder: string, docs: string): void {
  const files = renderPage(readResults(folder));
  const charts = join(docs, 'performance');
  mkdirSync(charts, { recursive: true });
  for (const name of readdirSync(charts)) if (name.endsWith('.svg')) rmSync(join(charts, name));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(docs, name), text);
}
