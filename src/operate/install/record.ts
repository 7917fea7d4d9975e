import { createHash } from 'node:crypto';
import * as z from 'zod/mini';
import { parseJson } from '../../engine/system/text/parse-json.ts';
import type { Credentials } from './layout.ts';

const record = z.object({
  version: z.literal(1),
  image: z.string(),
  /** VIPs and ports of the installed pods. The settings file may have changed since. */
  vips: z.array(z.string()),
  ports: z.array(z.number()),
  /** Folders that hawser created. */
  directories: z.array(z.string()),
  files: z.array(z.object({ path: z.string(), sha256: z.string() })),
  credentials: z.optional(z.enum(['own', 'kubelet'])),
  /** The folder of `--patches`, for later installs. */
  patches: z.optional(z.string()),
});

/** The files and folders that `hawser install` wrote on this node, which `hawser uninstall` removes. */
export type InstallRecord = Readonly<z.infer<typeof record>>;

/** Parses the record; undefined for any other text. */
export function parseRecord(text: string): InstallRecord | undefined {
  return record.safeParse(parseJson(text)).data;
}

/** A record without credentials is from an install with `own`. */
export function credentialsOf({ credentials = 'own' }: Pick<InstallRecord, 'credentials'>): Credentials {
  return credentials;
}

/** The reason why `parseRecord` returns undefined for this text. */
export function recordProblem(path: string, text: string): string {
  const { version } = z.object({ version: z.number() }).safeParse(parseJson(text)).data ?? {};
  if (version === undefined || version === 1)
    return `Cannot use "${path}": it is not a record of hawser install`;
  return `Cannot use "${path}": it has version ${version}, expected 1: run this command with the image that is installed`;
}

export function sha256(content: string | Buffer): string {
  return createHash('sha256').update(content).digest('hex');
}
