import * as z from 'zod/mini';
import { ConfigError } from '../engine/system/errors.ts';
import { type Flag, flag } from './command-spec.ts';
import { flagName } from './flag-name.ts';
import { defaultSettingsPath } from './settings-values.ts';

/** Part of file names, of an nftables table's name and of paths of sockets, which the kernel keeps short. */
const instanceName = z.string().check(
  z.regex(/^[a-z](?:[a-z0-9-]{0,18}[a-z0-9])?$/, {
    error:
      'expected a letter, then letters, digits and hyphens (a-z 0-9 -), no hyphen at the end, at most 20 in all',
  }),
);

/** Of each command of a program that may run several times on a node (docs/internals/decisions/0072). */
export const instance = flag(
  '<name>',
  z.optional(instanceName),
  'one more on this node: default paths carry -NAME, ports have no default, the settings file is read only if --settings names it',
  { inFile: 'never' },
);

/** `/etc/haproxy-b/haproxy.cfg` for `/etc/haproxy/haproxy.cfg` of the one without a name: a pod has such a folder as a whole. */
function instancePath(path: string, name: string): string {
  return path.replace(/^\/(?:etc|var\/run|var\/lib)\/[^/]+/, (folder) => `${folder}-${name}`);
}

/** The default of an instance's flag; of a port it has none, because the usual one is taken. */
export function instanceDefault({ ofInstance, default: usual }: Flag, name: string): string | undefined {
  if (ofInstance === 'path' && usual !== undefined) return instancePath(usual, name);
  return ofInstance === 'port' ? undefined : usual;
}

/**
 * Throws a ConfigError for a name that no instance may have, and for the settings file of the one without a name: its VIPs would
 * be redirected twice, and its ports would count as given. `settings` is absolute, undefined where none was named.
 */
export function refuseInstance(name: string, settings: string | undefined): void {
  const issue = instanceName.safeParse(name).error?.issues[0];
  if (issue !== undefined) throw new ConfigError([`Cannot use --instance "${name}": ${issue.message}`]);
  if (settings !== defaultSettingsPath) return;
  throw new ConfigError([
    `Cannot use --settings "${settings}" for instance "${name}": it has the ports and VIPs of the one without a name, expected a file of its own`,
  ]);
}

/** Throws one ConfigError that names every port that an instance was not given. */
export function refuseMissingPorts(
  flags: Readonly<Record<string, Flag>>,
  values: Readonly<Record<string, unknown>>,
  name: string,
): void {
  const missing = Object.keys(flags).filter(
    (key) => flags[key]?.ofInstance === 'port' && values[key] === undefined,
  );
  if (missing.length === 0) return;
  const names = missing.map(flagName).join(', ');
  throw new ConfigError([
    `Cannot start instance "${name}" without ${names}: the default ports are those of the one without a name, expected ports of its own`,
  ]);
}
