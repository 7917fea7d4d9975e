import * as z from 'zod/mini';

/** The default path; the file may be missing. */
export const defaultSettingsPath = '/etc/hawser/config.yaml';

/** What only one of the pods uses. */
export type Section = 'haproxy' | 'keepalived';

/** A value as its flag would have it, and the line of the file that it stands on. */
const entry = z.object({ value: z.union([z.string(), z.boolean()]), line: z.number() });
const entries = z.record(z.string(), entry);

/** Of `hawser settings --json` as well: that is how a supervisor gets them. */
export const settingsValues = z.object({ top: entries, haproxy: entries, keepalived: entries });

export type SettingsValues = z.infer<typeof settingsValues>;

export interface SettingsFile {
  readonly path: string;
  readonly values: SettingsValues;
}

/**
 * The file at `path`; where none is named, the default one, or undefined if there is none. Throws a ConfigError with
 * every problem of a file that is there, and for a named one that is not.
 */
export type SettingsReader = (path: string | undefined) => SettingsFile | undefined;
