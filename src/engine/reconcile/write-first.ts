import type { Rendered } from '../apply/file-set.ts';
import { keepForeignFile } from '../apply/foreign-file.ts';
import { findLiveFile } from '../apply/live-file.ts';
import { writeFileAtomically } from '../system/file/atomic-write.ts';
import type { Log } from '../system/log.ts';
import { logForeignFile } from './log-outcome.ts';

/** Writes a configuration before its program runs, for an init container. A foreign file is kept beside it. */
export async function writeFirst(
  config: string,
  { text, mode }: Rendered,
  log: Log,
  facts: Readonly<Record<string, unknown>> = {},
): Promise<void> {
  const foreign = await keepForeignFile(await findLiveFile(config));
  if (foreign !== undefined) logForeignFile({ log })(foreign);
  await writeFileAtomically(config, text, { mode: mode & 0o777 });
  log({ event: 'configuration-rendered', config, ...facts });
}
