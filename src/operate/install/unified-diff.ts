/** Lines around a change. */
const CONTEXT = 3;

interface Edit {
  readonly kind: ' ' | '-' | '+';
  readonly text: string;
}

/** The output of `diff -u`; empty if nothing differs. `undefined` is a missing file. */
export function unifiedDiff(path: string, before: string | undefined, after: string | undefined): string {
  if (before === after) return '';
  const edits = editsBetween(linesOf(before), linesOf(after));
  const names = [before === undefined ? '/dev/null' : path, after === undefined ? '/dev/null' : path];
  return [`--- ${names[0]}`, `+++ ${names[1]}`, ...hunksOf(edits), ''].join('\n');
}

function linesOf(text: string | undefined): readonly string[] {
  if (text === undefined || text === '') return [];
  return text.replace(/\n$/, '').split('\n');
}

/** By the longest common subsequence: files of some hundred lines, so the square of it does not matter. */
function editsBetween(before: readonly string[], after: readonly string[]): readonly Edit[] {
  const width = after.length + 1;
  const lengths = new Uint32Array((before.length + 1) * width);
  const at = (i: number, j: number): number => lengths[i * width + j] ?? 0;
  for (let i = before.length - 1; i >= 0; i -= 1)
    for (let j = after.length - 1; j >= 0; j -= 1)
      lengths[i * width + j] =
        before[i] === after[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
  const edits: Edit[] = [];
  let [i, j] = [0, 0];
  while (i < before.length || j < after.length) {
    if (i < before.length && j < after.length && before[i] === after[j]) {
      edits.push({ kind: ' ', text: before[i] ?? '' });
      i += 1;
      j += 1;
    } else if (j >= after.length || (i < before.length && at(i + 1, j) >= at(i, j + 1))) {
      edits.push({ kind: '-', text: before[i] ?? '' });
      i += 1;
    } else {
      edits.push({ kind: '+', text: after[j] ?? '' });
      j += 1;
    }
  }
  return edits;
}

function hunksOf(edits: readonly Edit[]): readonly string[] {
  const changed = edits.flatMap(({ kind }, index) => (kind === ' ' ? [] : index));
  const ranges: { from: number; to: number }[] = [];
  for (const index of changed) {
    const [from, to] = [Math.max(0, index - CONTEXT), Math.min(edits.length, index + CONTEXT + 1)];
    const last = ranges.at(-1);
    if (last !== undefined && from <= last.to) last.to = to;
    else ranges.push({ from, to });
  }
  return ranges.flatMap(({ from, to }) => {
    const part = edits.slice(from, to);
    const positions = ['-', '+'].map((own) => rangeOf(edits.slice(0, from), part, own)).join(' ');
    return [`@@ ${positions} @@`, ...part.map(({ kind, text }) => `${kind}${text}`)];
  });
}

function rangeOf(above: readonly Edit[], part: readonly Edit[], own: string): string {
  const count = (edits: readonly Edit[]) => edits.filter(({ kind }) => kind === ' ' || kind === own).length;
  const length = count(part);
  return `${own}${count(above) + (length === 0 ? 0 : 1)},${length}`;
}
