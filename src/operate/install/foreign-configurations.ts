import { existsSync, lstatSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Pod } from '../../cli/pod.ts';
import { ASIDE_SUFFIX, isRendered } from '../../engine/render/rendered-mark.ts';
import { codeOf, messageOf } from '../../engine/system/errors.ts';
import { podLayout } from './layout.ts';

/** A configuration of the same program, from a package or from the files of a guide. */
export interface ForeignConfiguration {
  /** On the node. */
  readonly path: string;
  readonly aside: string;
  /** A unit of systemd that is started at boot and reads the file. */
  readonly service: string | undefined;
}

interface ForeignConfigurations {
  readonly found: readonly ForeignConfiguration[];
  readonly problems: readonly string[];
}

/** Where packages have theirs, every configuration that hawser did not render. */
export function foreignConfigurations(root: string, pods: readonly Pod[]): ForeignConfigurations {
  const found: ForeignConfiguration[] = [];
  const problems: string[] = [];
  for (const pod of pods) {
    const path = podLayout(pod).packaged;
    const aside = `${path}${ASIDE_SUFFIX}`;
    try {
      if (lstatSync(join(root, path), { throwIfNoEntry: false }) === undefined) continue;
      const content = readFileSync(join(root, path), 'utf8');
      if (isRendered(content)) continue;
      const kept = existsSync(join(root, aside)) ? readFileSync(join(root, aside), 'utf8') : undefined;
      if (kept === undefined) found.push({ path, aside, service: serviceOf(root, pod.program) });
      else if (kept !== content)
        problems.push(
          `Cannot keep "${path}" as "${aside}": another copy is there already; move one of the two away`,
        );
    } catch (error) {
      // A folder that is a file, or the other way round, is among the problems of the plan.
      if (codeOf(error) !== 'ENOTDIR') problems.push(`Cannot read "${path}": ${messageOf(error)}`);
    }
  }
  return { found, problems };
}

function serviceOf(root: string, program: string): string | undefined {
  const unit = join(root, `/etc/systemd/system/multi-user.target.wants/${program}.service`);
  return lstatSync(unit, { throwIfNoEntry: false }) === undefined ? undefined : `${program}.service`;
}
