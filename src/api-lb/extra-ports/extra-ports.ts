import * as z from 'zod/mini';
import { flag } from '../../cli/command-spec.ts';
import { type ListRecord, type RefuseIn, recordsOf } from '../../cli/fields.ts';

/** An additional port of the VIP, balanced over the API servers. */
export interface ExtraPort {
  readonly name: string;
  /** What clients dial: `VIP:port`. */
  readonly port: number;
  /** HAProxy listens on this port of all addresses. It cannot use `port`, where the node's own server listens. */
  readonly listenPort: number;
  readonly serverPort: number;
  readonly check: 'tcp' | 'https';
}

/** Each extra port is a frontend and two backends. RKE2, konnectivity and machine-config need one port each. */
const MOST_PORTS = 16;
const NAME = /^[a-z](?:[a-z0-9-]{0,18}[a-z0-9])?$/;

const portForm = { type: 'integer', minimum: 1, maximum: 65_535 };
const properties = {
  name: { type: 'string', pattern: NAME.source },
  port: { ...portForm, description: 'port of the VIP' },
  serverPort: { ...portForm, description: 'port of the servers (default: port)' },
  listenPort: {
    ...portForm,
    description: "HAProxy's port (default: 10000 plus the last four digits of port)",
  },
  check: { enum: ['tcp', 'https'], default: 'tcp' },
};

export const extraPorts = flag(
  '<list>',
  z._default(recordsOf(properties, ['name', 'port'], parseExtraPorts), []),
  'more ports of the VIP, balanced across the same servers, such as "name=rke2 port=9345 check=https"',
);

function parseExtraPorts(records: readonly ListRecord[], refuse: RefuseIn): readonly ExtraPort[] {
  if (records.length > MOST_PORTS) refuse([], `${records.length} entries, expected at most ${MOST_PORTS}`);
  const found = records.map((record, index) =>
    parseExtraPort(record, (key, message) => refuse([index, key], message)),
  );
  for (const [index, each] of found.entries()) {
    const before = found.slice(0, index);
    for (const key of ['name', 'port', 'listenPort'] as const)
      if (before.some((other) => other[key] === each[key]))
        refuse([index, key], `another entry has ${key} ${each[key]}, expected each once`);
  }
  return found;
}

/** Calls `refuse` for each invalid value. The returned value is then not used. */
function parseExtraPort(record: ListRecord, refuse: (key: string, message: string) => void): ExtraPort {
  const { name = '', check = 'tcp' } = record;
  const numbered = (key: 'port' | 'serverPort' | 'listenPort', fallback: number): number => {
    const text = record[key];
    if (text === undefined) return fallback;
    const number = /^\d{1,5}$/.test(text) ? Number(text) : 0;
    if (number < 1 || number > 65_535) refuse(key, 'expected 1 to 65535');
    return number;
  };
  if (record['name'] !== undefined && !NAME.test(name))
    refuse('name', 'expected a letter, then letters, digits and hyphens (a-z 0-9 -), at most 20 in all');
  if (check !== 'tcp' && check !== 'https') refuse('check', 'expected tcp or https');
  const port = numbered('port', 0);
  return {
    name,
    port,
    check: check === 'https' ? 'https' : 'tcp',
    listenPort: numbered('listenPort', 10_000 + (port % 10_000)),
    serverPort: numbered('serverPort', port),
  };
}

/** A port that hawser uses, with the key of the setting. */
export interface UsedPort {
  readonly key: string;
  readonly port: number;
}

/** Returns the conflicts of extra ports with other ports of hawser and with the servers on this node; a worker has no servers. */
export function extraPortProblems(
  extraPorts: readonly ExtraPort[],
  used: readonly UsedPort[],
  isWorker: boolean,
): readonly string[] {
  return extraPorts.flatMap((each, index) => {
    const refused = (key: keyof ExtraPort, what: string, expected: string) =>
      `Cannot use extraPorts.${index}.${key} ${each[key]}: ${what}, expected ${expected}`;
    const ofHawser = (key: 'port' | 'listenPort' | 'serverPort', among = used): readonly string[] =>
      among
        .filter(({ port }) => port === each[key])
        .slice(0, 1)
        .map((other) => refused(key, `it is ${other.key}`, 'a port that hawser does not use'));
    if (isWorker) return ofHawser('listenPort');
    const server = extraPorts.find(({ port, serverPort }) => [port, serverPort].includes(each.listenPort));
    return [
      ...ofHawser('port'),
      ...ofHawser('listenPort'),
      // An extra port may lead to the API port of the servers.
      ...ofHawser(
        'serverPort',
        used.filter(({ key }) => key !== 'apiPort'),
      ),
      ...(server === undefined
        ? []
        : [refused('listenPort', `servers of "${server.name}" listen there`, 'a port of its own')]),
    ];
  });
}

/** The backend of an extra port's servers in `templates/haproxy.cfg.ejs`. */
export function extraBackend(name: string): string {
  return `extra_${name}`;
}

/** The name of the extra port with this backend; undefined for any other backend. */
export function extraPortOf(backend: string): string | undefined {
  return /^extra_([a-z0-9-]+)$/.exec(backend)?.[1];
}
