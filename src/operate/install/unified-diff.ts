import { FILE_HEADERS_ONLY, formatPatch, structuredPatch } from 'diff';

/** The output of `diff -u`; empty if nothing differs. `undefined` is a missing file. */
export function unifiedDiff(path: string, before: string | undefined, after: string | undefined): string {
  if (before === after) return '';
  const [from, to] = [before, after].map((text) => (text === undefined ? '/dev/null' : path));
  const patch = structuredPatch(from ?? path, to ?? path, ended(before), ended(after), undefined, undefined, {
    context: 3,
  });
  return formatPatch(patch, FILE_HEADERS_ONLY);
}

/** A missing newline at the end is no difference. */
function ended(text = ''): string {
  return text === '' || text.endsWith('\n') ? text : `${text}\n`;
}
