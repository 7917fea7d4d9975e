import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Pod } from '../../cli/pod.ts';
import { isRendered } from '../../engine/render/rendered-mark.ts';
import { nameBehind } from '../../engine/system/file/atomic-write.ts';
import { podLayout } from './layout.ts';

/** Of a configuration: its candidate, its last good copy, and what a node that is no member has put away. */
const KEPT = ['.candidate', '.last-good', '.left'];

interface WrittenFiles {
  readonly ours: readonly string[];
  /** Configurations where ours would be, that hawser did not render. */
  readonly foreign: readonly string[];
}

/** The files that the monitors wrote into their folders. All others belong to the operator or to a package. */
export async function writtenFiles(root: string, pods: readonly Pod[]): Promise<WrittenFiles> {
  const [ours, foreign]: [string[], string[]] = [[], []];
  for (const pod of pods) {
    const { dataDir, configuration } = podLayout(pod);
    // The configuration itself may also belong to a package or a guide; no other program has files of the other names.
    const isState = (name: string): boolean =>
      pod.state.test(name) || KEPT.some((suffix) => `${dataDir}/${name}` === `${configuration}${suffix}`);
    for (const name of await readdir(join(root, dataDir)).catch(() => [])) {
      const path = `${dataDir}/${name}`;
      const origin = nameBehind(name) ?? '';
      const isTemporary = isState(origin) || `${dataDir}/${origin}` === configuration;
      if (isState(name) || isTemporary) ours.push(path);
      else if (path === configuration) ((await isOwn(join(root, path))) ? ours : foreign).push(path);
    }
  }
  return { ours, foreign };
}

/** An edited template may lack the mark: then the last good copy shows whose the file is. */
async function isOwn(path: string): Promise<boolean> {
  const text = await readFile(path, 'utf8');
  return isRendered(text) || text === (await readFile(`${path}.last-good`, 'utf8').catch(() => undefined));
}
