import * as z from 'zod/mini';

/** The default path; the file may be missing. */
export const defaultSettingsPath = '/etc/hawser/config.yaml';

/** A pod by its name, whose settings only that pod uses. */
export type Section = string;

/** A value as its flag takes it, and its line in the file. */
const entry = z.object({ value: z.union([z.string(), z.boolean()]), line: z.number() });
const entries = z.record(z.string(), entry);

/** Also the output of `hawser settings --json`, by which a supervisor reads them. */
export const settingsValues = z.catchall(z.object({ top: entries }), entries);

export type SettingsValues = z.infer<typeof settingsValues>;

export interface SettingsFile {
  readonly path: string;
  readonly values: SettingsValues;
}

/**
 * Reads the file at `path`, or the default file if no path is given and it exists. Throws a ConfigError with every
 * problem of the file, and for a named file that is missing.
 */
export type SettingsReader = (path: string | undefined) => SettingsFile | undefined;
