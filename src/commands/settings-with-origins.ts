import type { CommandLine } from '../config/command-line.ts';

export interface ShownSetting {
  /** As it was given; undefined where nobody gave one and there is no default. */
  readonly value: unknown;
  /** `--api-port`, `HAWSER_API_PORT`, `/etc/hawser/config.yaml:3` or `default`. */
  readonly from: string;
}

/** Every setting of a command with what decided it, by camel-case name. */
export function settingsWithOrigins({
  values,
  origins,
}: Extract<CommandLine, { kind: 'values' }>): Readonly<Record<string, ShownSetting>> {
  return Object.fromEntries(
    Object.entries(origins).map(([name, from]) => [name, { value: values[name], from }]),
  );
}
