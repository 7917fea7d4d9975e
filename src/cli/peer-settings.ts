import { isIP } from 'node:net';
import * as z from 'zod/mini';
import { parseAddress } from '../engine/system/network/node-address.ts';
import { flag } from './command-spec.ts';
import { absolutePath } from './fields.ts';
import { parsedBy } from './make-field.ts';
import { defaultPorts } from './ports.ts';

/** `10.0.0.11`, `10.0.0.11:29450`, `[fd00::1]:29450`, `:29450`: what is left out has a default. */
interface PeerListen {
  readonly host: string | undefined;
  readonly port: number | undefined;
}

const peerListen = parsedBy(
  parsePeerListen,
  `expected ADDRESS, ADDRESS:PORT or :PORT, such as :${defaultPorts.peers}`,
);

function parsePeerListen(text: string): PeerListen | undefined {
  if (isIP(text) === 6) return hostAlone(text);
  const [, bracketed, plain, digits] = /^(?:\[([^\]]+)\]|([0-9.]*))(?::(\d{1,5}))?$/.exec(text) ?? [];
  const name = bracketed ?? plain;
  const port = digits === undefined ? undefined : Number(digits);
  if (name === undefined || port === 0 || (port ?? 1) > 65_535) return undefined;
  if (name === '') return port === undefined ? undefined : { host: undefined, port };
  const host = parseAddress(name)?.text;
  return host === undefined ? undefined : { host, port };
}

function hostAlone(text: string): PeerListen | undefined {
  const host = parseAddress(text)?.text;
  return host === undefined ? undefined : { host, port: undefined };
}

/**
 * How the nodes show each other what they know: off unless the three files are given. The port is where the others are
 * asked too.
 */
export const peerFlags = {
  peerTlsCa: flag(
    '<path>',
    z.optional(absolutePath),
    "PEM: the CA of all nodes' certificates; with the next two the nodes share their status",
    { inFile: 'top' },
  ),
  peerTlsCert: flag('<path>', z.optional(absolutePath), "PEM: this node's certificate", { inFile: 'top' }),
  peerTlsKey: flag('<path>', z.optional(absolutePath), 'PEM: the key of that certificate', { inFile: 'top' }),
  peerListen: flag(
    '<address>',
    z.optional(peerListen),
    `ADDRESS, ADDRESS:PORT or :PORT for the other nodes (default: this node's own address, port ${defaultPorts.peers})`,
    { inFile: 'top' },
  ),
};

/** How this node and its peers show each other their status. */
export interface PeerSettings {
  readonly files: { readonly ca: string; readonly cert: string; readonly key: string };
  /** Undefined for this node's own address, whichever that is. */
  readonly host: string | undefined;
  readonly port: number;
}

export interface PeerFieldValues {
  readonly peerTlsCa?: string | undefined;
  readonly peerTlsCert?: string | undefined;
  readonly peerTlsKey?: string | undefined;
  readonly peerListen?: PeerListen | undefined;
}

/** Undefined where none of the three files is given, which is how all of it is off, or where one is missing. */
export function peerSettings(values: PeerFieldValues): PeerSettings | undefined {
  const { peerTlsCa: ca, peerTlsCert: cert, peerTlsKey: key, peerListen: listen } = values;
  if (ca === undefined || cert === undefined || key === undefined) return undefined;
  return { files: { ca, cert, key }, host: listen?.host, port: listen?.port ?? defaultPorts.peers };
}

/** Refuses to start a node that would be half protected, or would listen on an unexpected address. */
export function peerProblems(values: PeerFieldValues, vips: readonly string[]): readonly string[] {
  const files = [
    ['--peer-tls-ca', values.peerTlsCa],
    ['--peer-tls-cert', values.peerTlsCert],
    ['--peer-tls-key', values.peerTlsKey],
  ] as const;
  const given = files.filter(([, path]) => path !== undefined);
  const host = values.peerListen?.host;
  if (given.length === 0)
    return values.peerListen === undefined
      ? []
      : ['Cannot use --peer-listen without --peer-tls-ca, --peer-tls-cert and --peer-tls-key: expected them'];
  return [
    ...files.flatMap(([flag, path]) =>
      path === undefined ? [`Cannot do without ${flag}: expected it beside ${given[0]?.[0]}`] : [],
    ),
    ...(host !== undefined && vips.includes(host)
      ? [`Cannot use --peer-listen "${host}": it is a VIP, expected an address that stays on this node`]
      : []),
  ];
}
