/** In a comment of every configuration that hawser renders: the shipped templates begin with it. */
export const RENDERED_MARK = 'hawser renders this file';

/**
 * Suffix under which a foreign configuration is saved: `example.cfg.before-hawser`. An existing copy is never overwritten, and `hawser uninstall`
 * restores it.
 */
export const ASIDE_SUFFIX = '.before-hawser';

/** On a line of its own. The text may have megabytes, so it is not split. */
const marked = new RegExp(String.raw`(?:^|\n)[^\S\n]*[#!][^\n]*${RENDERED_MARK}`);

/** Whether hawser rendered this text. Any other is foreign: it is saved, never trusted or removed. */
export function isRendered(text: string): boolean {
  return marked.test(text);
}

/** `text` with the mark: the template of an operator may lack it. */
export function withMark(text: string): string {
  return isRendered(text) ? text : `# ${RENDERED_MARK}: edit its template, not the result.\n${text}`;
}
