import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { PageAddress } from '../../engine/system/network/ask-page.ts';
import { layout, placesOf } from './layout.ts';
import { parseRecord } from './record.ts';

/** An instance whose pod `hawser install --instance` wrote, whether or not one of its programs runs. */
export interface InstalledInstance {
  readonly name: string;
  /** Of its programs, by their names: `haproxy-monitor`. */
  readonly pages: Readonly<Record<string, PageAddress>>;
}

/** In the order of their names. A record that cannot be read is left out: status must not fail because of it. */
export function installedInstances(root: string): readonly InstalledInstance[] {
  return namesIn(join(root, layout.settingsDir)).flatMap((file) => {
    const name = /^installed-([a-z0-9-]+)\.json$/.exec(file)?.[1];
    if (name === undefined) return [];
    const record = parseRecord(textOf(join(root, placesOf(name).record)));
    return record === undefined ? [] : { name, pages: record.pages ?? {} };
  });
}

function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder).toSorted();
  } catch {
    return [];
  }
}
