import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { changeXml, contentsOf, errorXml, recordsXml, refusedChangeXml, zonesXml } from './xml.ts';

export interface FakeRecord {
  /** With the trailing dot. */
  readonly name: string;
  readonly type: string;
  readonly ttl?: number;
  readonly values?: readonly string[];
  /** Another name instead of values. */
  readonly alias?: string;
  /** For a routing policy. */
  readonly setIdentifier?: string;
}

export interface FakeZone {
  readonly id: string;
  /** With the trailing dot. */
  readonly name: string;
  readonly isPrivate?: boolean;
  readonly records: FakeRecord[];
}

/** What a request gets instead of its answer. */
export type Trouble =
  | { readonly kind: 'error'; readonly status: number; readonly code: string; readonly message: string }
  /** Half of the answer, with an end that looks right. */
  | { readonly kind: 'half' }
  | { readonly kind: 'reset' }
  /** No answer. */
  | { readonly kind: 'stall' }
  /** HTTP 200 with this body. */
  | { readonly kind: 'body'; readonly body: string };

export const throttled: Trouble = {
  kind: 'error',
  status: 400,
  code: 'Throttling',
  message: 'Rate exceeded',
};

export interface FakeRoute53 extends AsyncDisposable {
  readonly url: string;
  readonly zones: FakeZone[];
  /** `GET /2013-04-01/hostedzone?…`, in order of arrival. */
  readonly requests: readonly string[];
  /** The changes made. */
  readonly changes: readonly {
    readonly zone: string;
    readonly comment: string;
    readonly record: FakeRecord;
  }[];
  /** Replaces the next answers, one each. */
  readonly trouble: (...troubles: readonly Trouble[]) => void;
}

/** Route 53's API, version 2013-04-01, as far as it is needed to read zones and write records. */
export async function startFakeRoute53(
  zones: FakeZone[],
  limits: { readonly pageSize?: number } = {},
): Promise<FakeRoute53> {
  const requests: string[] = [];
  const changes: FakeRoute53['changes'][number][] = [];
  const troubles: Trouble[] = [];
  const server = createServer((request, response) => {
    answer(request).then(
      (reply) => send(response, reply, troubles.shift()),
      (error: unknown) => {
        // A client may disconnect in the middle of its request.
        if (!request.errored) throw error;
      },
    );
  });
  const answer = async (request: IncomingMessage): Promise<Reply> => {
    const body = await text(request);
    requests.push(`${request.method} ${request.url}`);
    if (
      !/^AWS4-HMAC-SHA256 Credential=[^/]+\/\d{8}\/us-east-1\/route53\//.test(
        request.headers.authorization ?? '',
      )
    )
      return refused(403, 'MissingAuthenticationToken', 'Request is missing Authentication Token');
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://localhost');
    const [, id] = /^\/2013-04-01\/hostedzone\/([^/]+)\/rrset\/?$/.exec(pathname) ?? [];
    if (id === undefined) return listZones(zones, searchParams, limits.pageSize ?? 100);
    const zone = zones.find((each) => each.id === id);
    if (zone === undefined) return refused(404, 'NoSuchHostedZone', `No hosted zone found with ID: ${id}`);
    if (request.method === 'GET') return listRecords(zone, searchParams);
    const outcome = change(zone, body);
    if (typeof outcome === 'string') return { status: 400, body: refusedChangeXml(outcome) };
    changes.push({ zone: id, comment: contentsOf(body, 'Comment')[0] ?? '', record: outcome });
    return { status: 200, body: changeXml(`C${changes.length}`) };
  };
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    zones,
    requests,
    changes,
    trouble: (...more) => void troubles.push(...more),
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

interface Reply {
  readonly status: number;
  readonly body: string;
}

function refused(status: number, code: string, message: string): Reply {
  return { status, body: errorXml(code, message) };
}

function send(response: ServerResponse, reply: Reply, trouble: Trouble | undefined): void {
  if (trouble?.kind === 'stall') return;
  if (trouble?.kind === 'reset') response.socket?.destroy();
  const { status, body } = trouble === undefined ? reply : instead(reply, trouble);
  response.writeHead(status, { 'content-type': 'text/xml', 'x-amzn-requestid': 'fake' }).end(body);
}

function instead(reply: Reply, trouble: Trouble): Reply {
  switch (trouble.kind) {
    case 'error':
      return refused(trouble.status, trouble.code, trouble.message);
    case 'half':
      return { ...reply, body: reply.body.slice(0, reply.body.length / 2) };
    case 'body':
      return { status: 200, body: trouble.body };
    case 'reset':
    case 'stall':
      return reply;
  }
}

function listZones(zones: readonly FakeZone[], query: URLSearchParams, pageSize: number): Reply {
  const maxItems = Math.min(pageSize, Number(query.get('maxitems') ?? 100));
  const marker = query.get('marker');
  const sorted = zones.toSorted((a, b) => (a.id < b.id ? -1 : 1));
  const first = marker === null ? 0 : sorted.findIndex(({ id }) => id === marker);
  if (first === -1) return refused(400, 'InvalidInput', 'Invalid marker');
  const page = sorted.slice(first, first + maxItems);
  const next = sorted[first + maxItems]?.id;
  return { status: 200, body: zonesXml(page, { marker, next, maxItems }) };
}

function listRecords({ records }: FakeZone, query: URLSearchParams): Reply {
  const maxItems = Math.min(300, Number(query.get('maxitems') ?? 300));
  const from = placeOf({ name: query.get('name') ?? '', type: query.get('type') ?? '' });
  const sorted = records.toSorted((a, b) => (placeOf(a) < placeOf(b) ? -1 : 1));
  const rest = sorted.filter((record) => placeOf(record) >= from);
  return { status: 200, body: recordsXml(rest.slice(0, maxItems), rest[maxItems], maxItems) };
}

/** Names sort by their labels from last to first: `com.example.www.`. */
function placeOf({ name, type }: Pick<FakeRecord, 'name' | 'type'>): string {
  return `${name.split('.').reverse().join('.')} ${type}`;
}

/** The record that was written, or the reason why not: a batch is applied as a whole or not at all. */
function change(zone: FakeZone, body: string): FakeRecord | string {
  const [name = '', type = '', action] = ['Name', 'Type', 'Action'].map((each) => contentsOf(body, each)[0]);
  const record = { name, type, ttl: Number(contentsOf(body, 'TTL')[0]), values: contentsOf(body, 'Value') };
  const what = `RRSet with DNS name ${name}`;
  if (action !== 'UPSERT') return `The fake knows no action ${action}`;
  if (name !== zone.name && !name.endsWith(`.${zone.name}`))
    return `${what} is not permitted in zone ${zone.name}`;
  if (record.values.length === 0) return 'Invalid request: expected at least one value';
  const others = zone.records.filter((each) => each.name === name);
  if (others.some((each) => each.type === 'CNAME' || each.setIdentifier !== undefined))
    return `${what}, type ${type} conflicts with another record of that name`;
  const before = zone.records.findIndex((each) => each.name === name && each.type === type);
  zone.records.splice(before === -1 ? zone.records.length : before, before === -1 ? 0 : 1, record);
  return record;
}
