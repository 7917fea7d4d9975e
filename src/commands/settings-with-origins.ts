import type { CommandLine } from '../cli/command-line.ts';

export interface ShownSetting {
  /** The given value, or the default; undefined without either. */
  readonly value: unknown;
  /** `--api-port`, `HAWSER_API_PORT`, `/etc/hawser/config.yaml:3` or `default`. */
  readonly from: string;
}

export function settingsWithOrigins({
  values,
  origins,
}: CommandLine): Readonly<Record<string, ShownSetting>> {
  return Object.fromEntries(
    Object.entries(origins).map(([name, from]) => [name, { value: values[name], from }]),
  );
}
