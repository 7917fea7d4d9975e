import * as z from 'zod/mini';
import { readText } from '../system/file/read-regular-file.ts';
import { createRunFile } from '../system/file/replace-file.ts';
import type { Log } from '../system/log.ts';
import { processEpoch } from '../system/process/processes.ts';
import { parseJson } from '../system/text/parse-json.ts';

export const processSchema = z.readonly(z.object({ pid: z.int(), startTicks: z.int() }));

const VERSION = 1;
const anyRecordSchema = z.object({ epoch: z.string(), version: z.optional(z.unknown()) });

interface ProcessRecord<Content> {
  /** Returns undefined if the file is missing, damaged, or from another boot, pid namespace or version of the record. Another version is logged. */
  readonly read: () => Content | undefined;
  /**
   * Replaces the content if it changed, in one synchronous step. A failed write is logged once and retried at the next call; supervision continues
   * without the record.
   */
  readonly write: (content: Content) => void;
}

/** Opens the file from which the next supervisor learns about running processes. */
export function openProcessRecord<Content extends object>(
  path: string,
  schema: z.ZodMiniType<Content>,
  log: Log,
  epoch = processEpoch(),
): ProcessRecord<Content> {
  const replace = createRunFile(path, 0o600, {
    failed: (message) => log({ event: 'record-not-written', level: 'error', path, message }),
    recovered: () => log({ event: 'record-written', level: 'info', path }),
  });
  return {
    read: () => {
      const json = parseJson(readText(path));
      const record = anyRecordSchema.safeParse(json).data;
      if (record?.epoch !== epoch) return undefined;
      if ((record.version ?? VERSION) === VERSION) return schema.safeParse(json).data;
      const message = `Cannot use "${path}": it has version ${JSON.stringify(record.version)}, expected ${VERSION}`;
      log({ event: 'record-of-another-version', level: 'warn', path, message });
      return undefined;
    },
    write: (content) => replace(JSON.stringify({ version: VERSION, epoch, ...content })),
  };
}
