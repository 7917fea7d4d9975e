import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { PageAssets } from '../../../src/operate/page/server/serve-page.ts';
import { ensureBuilt } from '../supervisor-build.ts';

/** The files that the page loads, as the sources are now. */
export function builtAssets(): PageAssets {
  ensureBuilt();
  const read = (name: string) =>
    readFileSync(join(fileURLToPath(new URL('../../../dist/page', import.meta.url)), name), 'utf8');
  return { style: read('page.css'), script: read('page.js'), icon: read('icon.svg') };
}
