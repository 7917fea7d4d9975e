import { createHash } from 'node:crypto';
import * as z from 'zod/mini';
import { parseJson } from '../../engine/system/text/parse-json.ts';

const record = z.object({
  version: z.literal(1),
  image: z.string(),
  /** What the pods would leave on the node, even if the settings file changes. */
  vips: z.array(z.string()),
  ports: z.array(z.number()),
  /** That were not there before. */
  directories: z.array(z.string()),
  files: z.array(z.object({ path: z.string(), sha256: z.string() })),
  credentials: z.optional(z.enum(['own', 'kubelet'])),
  /** The folder of `--patches`, for the installs that follow. */
  patches: z.optional(z.string()),
});

/** What `hawser install` has put on this node, so that `hawser uninstall` removes exactly that. */
export type InstallRecord = Readonly<z.infer<typeof record>>;

/** Undefined for anything that is no record. */
export function parseRecord(text: string): InstallRecord | undefined {
  return record.safeParse(parseJson(text)).data;
}

/** Why `parseRecord` reads no record from this text. */
export function whyNoRecord(path: string, text: string): string {
  const { version } = z.object({ version: z.number() }).safeParse(parseJson(text)).data ?? {};
  if (version === undefined || version === 1)
    return `Cannot use "${path}": it is not the record that hawser install wrote`;
  return `Cannot use "${path}": it has version ${version}, expected 1: run this command with the image that is installed`;
}

export function sha256(content: string | Buffer): string {
  return createHash('sha256').update(content).digest('hex');
}
