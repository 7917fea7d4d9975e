import { identityOf, type Rendered } from '../../engine/apply/file-set.ts';
import { differenceOf } from './difference.ts';

/** What is kept of a configuration to compare the next one with. */
export interface Outline {
  readonly text: string;
  /** Of all files but the main one. */
  readonly others: string;
}

export function outlineOf(rendered: Rendered): Outline {
  return { text: rendered.text, others: identityOf({ ...rendered, text: '' }) };
}

/** False where HAProxy can be told, while it runs, all that differs from what it serves. Unknown is a reload. */
export function needsReload(served: Outline | undefined, rendered: Rendered): boolean {
  if (served === undefined || served.others !== outlineOf(rendered).others) return true;
  return differenceOf(served.text, rendered.text).kind === 'reload';
}
