import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isRendered } from '../../engine/render/rendered-mark.ts';
import { podLayouts } from './layout.ts';

/** These may also belong to a package or a guide. */
const configuration = /^(?:haproxy\.cfg|keepalived\.conf)$/;

/**
 * A configuration's candidate, its last good copy, and what a node that is no member has put away; saved lists, an order
 * of `hawser drain`, the agreed dialect: no other program has files of these names.
 */
const state =
  /^(?:(?:haproxy\.cfg|keepalived\.conf)\.(?:candidate|last-good|left)|api-servers\.json|vrrp-nodes\.json\.(?:api|ingress)\.ipv[46]|vrrp-steering\.json|keepalived\.conf\.agreed)$/;

/** The remainder of an interrupted write: see `writeFileAtomically`. */
const temporary = /^\.(.+)\.[0-9a-f]{16}$/;

export interface WrittenFiles {
  readonly ours: readonly string[];
  /** Configurations where ours would be, that hawser did not render. */
  readonly foreign: readonly string[];
}

/** The files that the monitors wrote into their folders. All others belong to the operator or to a package. */
export async function writtenFiles(root: string): Promise<WrittenFiles> {
  const [ours, foreign]: [string[], string[]] = [[], []];
  for (const { dataDir } of podLayouts)
    for (const name of await readdir(join(root, dataDir)).catch(() => [])) {
      const path = `${dataDir}/${name}`;
      const [, origin = ''] = temporary.exec(name) ?? [];
      if (state.test(name) || state.test(origin) || configuration.test(origin)) ours.push(path);
      else if (configuration.test(name)) ((await isOwn(join(root, path))) ? ours : foreign).push(path);
    }
  return { ours, foreign };
}

/** An edited template may lack the mark: then the last good copy shows whose the file is. */
async function isOwn(path: string): Promise<boolean> {
  const text = await readFile(path, 'utf8');
  return isRendered(text) || text === (await readFile(`${path}.last-good`, 'utf8').catch(() => undefined));
}
