import type * as z from 'zod/mini';
import { ConfigError } from '../engine/system/errors.ts';
import { flagName } from './flag-name.ts';

/**
 * Parses typed values. Throws one ConfigError with every problem, each as `Cannot use --socket "x": expected an absolute path`. `nameOf` names a
 * setting that was not typed as a flag.
 */
export function parseSettings<T>(
  schema: z.ZodMiniType<T>,
  values: Readonly<Record<string, unknown>>,
  nameOf: (setting: string) => string = flagName,
): T {
  const parsed = schema.safeParse(values);
  if (parsed.success) return parsed.data;
  throw new ConfigError(parsed.error.issues.map((issue) => problemOf(issue, values, nameOf)));
}

function problemOf(
  issue: z.core.$ZodIssue,
  values: Readonly<Record<string, unknown>>,
  nameOf: (setting: string) => string,
): string {
  const name = String(issue.path[0] ?? '');
  const value = values[name];
  const shown = value === undefined ? 'Cannot do without' : 'Cannot use';
  return `${shown} ${nameOf(name)}${value === undefined ? '' : ` "${String(value).slice(0, 200)}"`}: ${issue.message}`;
}
