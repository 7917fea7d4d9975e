import { SocketAddress } from 'node:net';
import { familyOf } from '../../engine/system/network/address-text.ts';
import { serverLines } from '../text/config-text.ts';
import { type DesiredServer, isPlain } from './change.ts';

/** The part of a configuration that can be changed at runtime. */
export interface Description {
  /**
   * The text of each section without the described servers, keyed by title, `backend masters`. Texts are equal only if HAProxy treats them equally.
   */
  readonly sections: ReadonlyMap<string, string>;
  /** Keyed by `backend/name`. */
  readonly servers: ReadonlyMap<string, DesiredServer>;
  /** Backends that also have undescribed servers. An unknown server there is not necessarily foreign. */
  readonly openBackends: ReadonlySet<string>;
}

/** Suffix of a server line whose checks are paused by a state file: HAProxy's configuration has no keyword for that. */
export const CHECKS_OFF = ' # checks off';

export function backendOf(server: string): string {
  return server.slice(0, server.indexOf('/'));
}

const SECTION =
  /^(?:global|defaults|frontend|backend|listen|userlist|peers|resolvers|program|cache|ring|mailers|http-errors|fcgi-app|log-forward|crt-store|traces|log-profile|acme)\b/;
const ENDPOINT = /^(?:(\d+(?:\.\d+){3})|\[([0-9a-fA-F:.]+)\]):(\d+)$/;
/** A quoted word that means the same without the quotes. */
const QUOTED = /^(['"])([\w.:-]+)\1$/;

interface Section {
  readonly title: string;
  /** Undefined for a section without servers. */
  readonly backend: string | undefined;
  readonly lines: string[];
  defaults: readonly string[];
  /** Value of `dynamic-cookie-key`. */
  cookieKey?: string | undefined;
}

/**
 * Describes a haproxy.cfg by its text. Undefined if parts of it depend on conditions (`.if`): such a file can be loaded, but not compared. A server
 * that is more than a name, an address and plain words is part of its section, and so is a server that tracks another or is tracked: HAProxy cannot
 * add those at runtime, and an operator's `set server` on them stays.
 */
export function describeConfiguration(text: string): Description | undefined {
  const sections = new Map<string, string[]>();
  const servers = new Map<string, DesiredServer>();
  const openBackends = new Set<string>();
  /** Options that later sections inherit: from the last `defaults` (key ''), and from each named one. */
  const inherited = new Map<string, readonly string[]>();
  const tracked = new Set([...serverLines(text)].map(({ tracks }) => tracks));
  let section: Section = { title: '', backend: undefined, lines: [], defaults: [] };
  for (const raw of text.split('\n')) {
    const isPaused = raw.endsWith(CHECKS_OFF);
    const line = (isPaused ? raw.slice(0, -CHECKS_OFF.length) : raw).trim();
    if (line === '' || line.startsWith('#')) continue;
    if (line.startsWith('.')) return undefined;
    const words = line.split(/\s+/).map((word) => QUOTED.exec(word)?.[2] ?? word);
    if (SECTION.test(line)) {
      const begun = begin(words, inherited, sections.size);
      // HAProxy merges several sections of one name, such as `global`.
      section = { ...begun, lines: sections.get(begun.title) ?? begun.lines };
      sections.set(section.title, section.lines);
      continue;
    }
    const name = `${section.backend}/${words[1]}`;
    const isServer = words[0] === 'server' && section.backend !== undefined && !tracked.has(name);
    const described = isServer ? serverOf(words, section) : undefined;
    if (described !== undefined) {
      servers.set(name, isPaused ? { ...described, healthChecks: 'paused' } : described);
      continue;
    }
    section.lines.push(line);
    if (words[0] === 'dynamic-cookie-key') section.cookieKey = words[1];
    if (words[0] === 'default-server') section.defaults = [...section.defaults, ...words.slice(1)];
    if (section.title.startsWith('defaults')) remember(section, inherited);
    if (words[0]?.startsWith('server') && section.backend !== undefined) openBackends.add(section.backend);
  }
  const joined = [...sections].map(([title, lines]) => [title, lines.join('\n')] as const);
  return { sections: new Map(joined), servers, openBackends };
}

function begin(words: readonly string[], inherited: Map<string, readonly string[]>, index: number): Section {
  const [kind = '', name = ''] = words;
  if (kind === 'defaults') {
    const parent = words[2] === 'from' ? inherited.get(words[3] ?? '') : undefined;
    const section: Section = {
      title: `${words.join(' ')} ${index}`,
      backend: undefined,
      lines: [],
      defaults: parent ?? [],
    };
    remember(section, inherited);
    return section;
  }
  const hasServers = kind === 'backend' || kind === 'listen';
  const defaults = inherited.get(words[2] === 'from' ? (words[3] ?? '') : '') ?? [];
  return { title: words.join(' '), backend: hasServers ? name : undefined, lines: [], defaults };
}

function remember({ title, defaults }: Section, inherited: Map<string, readonly string[]>): void {
  inherited.set('', defaults);
  inherited.set(title.split(' ')[1] ?? '', defaults);
}

function serverOf(
  [, name = '', endpoint = '', ...own]: readonly string[],
  { defaults, cookieKey }: Section,
): DesiredServer | undefined {
  const [, four, six, port] = ENDPOINT.exec(endpoint) ?? [];
  const address = four ?? six;
  if (address === undefined || !isCanonical(address)) return undefined;
  // A variable, a comment or an expression: its meaning differs from its text, or it cannot be set at runtime.
  if (Number(port) === 0 || ![name, ...defaults, ...own].every(isPlain)) return undefined;
  const parsed = parseOptions([...defaults, ...own]);
  // An agent changes the server's weight and state, which is not drift.
  if (/(?:^| )agent-check(?: |$)/.test(parsed.options)) return undefined;
  // A server that is disabled on purpose is neither added nor removed.
  if (parsed.isDisabled || parsed.isTracking) return undefined;
  const { weight, options } = parsed;
  if (!Number.isInteger(weight)) return undefined;
  const key = cookieKey !== undefined && isPlain(cookieKey) ? { cookieKey } : {};
  return { address, port: Number(port), weight, options, ...key };
}

/** Whether HAProxy prints the address in the same form, so that both can be compared. */
function isCanonical(address: string): boolean {
  try {
    return new SocketAddress({ address, family: familyOf(address) }).address === address;
  } catch {
    return false;
  }
}

interface ServerOptions {
  readonly weight: number;
  readonly isTracking: boolean;
  readonly isDisabled: boolean;
  readonly options: string;
}

function parseOptions(words: readonly string[]): ServerOptions {
  let weight = 1;
  let isTracking = false;
  let isDisabled = false;
  const options: string[] = [];
  const rest = words.values();
  for (const word of rest) {
    if (word === 'weight') weight = Number(rest.next().value);
    else if (word === 'track') isTracking = true;
    else if (word === 'disabled') isDisabled = true;
    else options.push(word);
  }
  return { weight, isTracking, isDisabled, options: options.join(' ') };
}
