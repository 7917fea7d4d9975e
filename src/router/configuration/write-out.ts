import { mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { modeOf, mustBeSet, othersOf, type Rendered, SET_FOLDER } from '../../engine/apply/file-set.ts';
import { forEachAtOnce } from '../../engine/apply/for-each-at-once.ts';
import { writeFileAtomically } from '../../engine/system/file/atomic-write.ts';

export const MAIN_FILE = 'haproxy.cfg';

/** Writes a set into one folder, the main file last. What else lies there stays. */
export async function writeOut(folder: string, rendered: Rendered): Promise<void> {
  mustBeSet(rendered);
  const mode = rendered.mode & 0o777;
  const folders = new Set(othersOf(rendered).map(({ name }) => dirname(join(folder, name))));
  for (const each of [folder, ...folders]) await mkdir(each, { recursive: true });
  await forEachAtOnce(othersOf(rendered), async (file) => {
    await writeFileAtomically(join(folder, file.name), file.content, { mode: modeOf(file, mode) });
  });
  await writeFileAtomically(
    join(folder, MAIN_FILE),
    rendered.text.replaceAll(SET_FOLDER, () => folder),
    { mode },
  );
}
