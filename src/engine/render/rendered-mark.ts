/** Mark in a comment of every configuration that hawser renders. The shipped templates begin with it. */
export const RENDERED_MARK = 'hawser renders this file';

/**
 * Suffix of the copy of a foreign configuration: `example.cfg.before-hawser`. An existing copy is never overwritten, and `hawser uninstall` restores
 * it.
 */
export const ASIDE_SUFFIX = '.before-hawser';

/** Matches the mark in a comment line. The text may have megabytes, so it is not split into lines. */
const marked = new RegExp(String.raw`(?:^|\n)[^\S\n]*[#!][^\n]*${RENDERED_MARK}`);

/** Whether hawser rendered this text. Any other text is foreign: it is copied, and never trusted or removed. */
export function isRendered(text: string): boolean {
  return marked.test(text);
}

/** Adds the mark to a text without one: an operator's template may lack it. */
export function withMark(text: string): string {
  return isRendered(text) ? text : `# ${RENDERED_MARK}: edit its template, not the result.\n${text}`;
}
