import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isRendered } from '../model/rendered-mark.ts';
import { podLayouts } from './layout.ts';

/** A configuration, its candidate and its last good copy. */
const configuration = /^(?:haproxy\.cfg|keepalived\.conf)(?:\.candidate|\.last-good)?$/;

/** Saved lists, an order of `hawser drain`, the agreed dialect: no other program has files of these names. */
const state =
  /^(?:api-servers\.json|vrrp-nodes\.json\.(?:api|ingress)\.ipv[46]|vrrp-steering\.json|keepalived\.conf\.agreed)$/;

/** What a crash left of one of them: see `writeFileAtomically`. */
const temporary = /^\.(.+)\.[0-9a-f]{16}$/;

export interface WrittenFiles {
  readonly ours: readonly string[];
  /** Configurations that carry a name of ours, but not our mark. */
  readonly foreign: readonly string[];
}

/** What the monitors wrote into their folders. Every other file there belongs to the operator or to a package. */
export async function writtenFiles(root: string): Promise<WrittenFiles> {
  const [ours, foreign]: [string[], string[]] = [[], []];
  for (const { dataDir } of podLayouts)
    for (const name of await readdir(join(root, dataDir)).catch(() => [])) {
      const path = `${dataDir}/${name}`;
      const [, origin = ''] = temporary.exec(name) ?? [];
      if (state.test(name) || state.test(origin) || configuration.test(origin)) ours.push(path);
      else if (configuration.test(name))
        (isRendered(await readFile(join(root, path), 'utf8')) ? ours : foreign).push(path);
    }
  return { ours, foreign };
}
