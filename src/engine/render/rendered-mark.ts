/** In a comment of every configuration that hawser renders: the shipped templates begin with it. */
export const RENDERED_MARK = 'hawser renders this file';

/**
 * What a configuration that is not hawser's is kept as, beside its place: `haproxy.cfg.before-hawser`. A copy that is
 * there already is never overwritten, and `hawser uninstall` puts it back.
 */
export const ASIDE_SUFFIX = '.before-hawser';

/** In a line of its own. The text is not taken apart: it may have megabytes. */
const marked = new RegExp(String.raw`(?:^|\n)[^\S\n]*[#!][^\n]*${RENDERED_MARK}`);

/** Whether hawser rendered this text. Any other is foreign: it is kept, and never believed or removed. */
export function isRendered(text: string): boolean {
  return marked.test(text);
}

/** `text` with the mark: the template of an operator may lack it. */
export function withMark(text: string): string {
  return isRendered(text) ? text : `# ${RENDERED_MARK}: edit its template, not the result.\n${text}`;
}
