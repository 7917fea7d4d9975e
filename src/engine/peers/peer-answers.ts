import type { RequestListener, ServerResponse } from 'node:http';
import { pipeline } from 'node:stream/promises';
import { TLSSocket } from 'node:tls';
import { messageOf } from '../system/errors.ts';
import type { ClusterNode } from '../system/network/cluster-node.ts';
import { sharedRun } from '../system/time/one-at-a-time.ts';
import { namesIn, nodeOf } from './identity.ts';
import type { ReportRefusal } from './refusals.ts';

/** ISO 8601, UTC, both included. */
interface JournalRange {
  readonly since: string;
  readonly until: string;
}

export interface PeerAnswers {
  /** The nodes that may ask: those of the group, this one included; none while they are unknown. */
  readonly nodes: () => readonly ClusterNode[];
  /** JSON. */
  readonly status: () => Promise<string>;
  /** Undefined where there is no journal. Its source bounds it. */
  readonly journal: ((range: JournalRange) => AsyncGenerator<Buffer>) | undefined;
  /** The wall clock; this machine's where it is not given. */
  readonly now?: () => Date;
}

/** The time of the node that answers, to the millisecond: `Date` has whole seconds. */
export const CLOCK_HEADER = 'hawser-clock';

/** Each holds one file of a journal in memory. */
const MOST_JOURNALS = 3;

/** `GET /status` and `GET /journal?since=…&until=…`, for nodes of the group. An error is a line of JSON. */
export function createPeerAnswers(answers: PeerAnswers, refused: ReportRefusal): RequestListener {
  // Many peers cause no more work than one.
  const status = sharedRun(answers.status);
  let journals = 0;
  const sendJournal = async (response: ServerResponse, query: URLSearchParams): Promise<void> => {
    const range = rangeOf(query);
    if (answers.journal === undefined) return problem(response, 404, 'it keeps no journal (--journal)');
    if (range === undefined) return problem(response, 400, 'expected since and until as ISO 8601 in UTC');
    if (journals >= MOST_JOURNALS) return problem(response, 503, 'it is sending its journal to others');
    journals += 1;
    const parts = answers.journal(range);
    try {
      // What fails before the first part can still be said.
      const first = await parts.next();
      response.writeHead(200, { ...HEADERS, 'content-type': 'application/octet-stream' });
      await pipeline(startingWith(first, parts), response);
    } finally {
      await parts.return(undefined);
      journals -= 1;
    }
  };
  const answer = async (response: ServerResponse, target: string): Promise<void> => {
    const url = URL.parse(target, 'https://peer');
    if (url?.pathname === '/status') return send(response, 200, await status());
    if (url?.pathname === '/journal') return await sendJournal(response, url.searchParams);
    problem(response, 404, 'expected /status or /journal');
  };
  return (request, response) => {
    response.setHeader(CLOCK_HEADER, (answers.now?.() ?? new Date()).toISOString());
    const objection = objectionTo(request.socket, answers.nodes());
    if (objection !== undefined) {
      refused(request.socket.remoteAddress ?? 'unknown', objection);
      return problem(response, 403, objection);
    }
    if (request.method !== 'GET') return problem(response, 405, 'expected GET');
    answer(response, request.url ?? '').catch((error: unknown) => {
      if (response.headersSent) response.destroy();
      else problem(response, 500, messageOf(error));
    });
  };
}

function objectionTo(socket: unknown, nodes: readonly ClusterNode[]): string | undefined {
  const certificate = socket instanceof TLSSocket ? socket.getPeerX509Certificate() : undefined;
  if (certificate === undefined) return 'it shows no certificate';
  if (nodeOf(certificate, nodes) !== undefined) return undefined;
  if (nodes.length === 0) return 'the nodes of the group are not known yet';
  return `its certificate is of ${namesIn(certificate)}, which is no node of the group`;
}

async function* startingWith(
  first: IteratorResult<Buffer, unknown>,
  rest: AsyncGenerator<Buffer>,
): AsyncGenerator<Buffer> {
  if (first.done) return;
  yield first.value;
  yield* rest;
}

const HEADERS = { 'cache-control': 'no-store', connection: 'close' };

function send(response: ServerResponse, code: number, json: string): void {
  response.writeHead(code, { ...HEADERS, 'content-type': 'application/json' });
  response.end(`${json}\n`);
}

function problem(response: ServerResponse, code: number, message: string): void {
  send(response, code, JSON.stringify({ problem: message }));
}

const ISO = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d{1,9})?Z$/;

/** A missing bound is unlimited. */
function rangeOf(query: URLSearchParams): JournalRange | undefined {
  const [since, until] = [query.get('since'), query.get('until')];
  if ([since, until].some((text) => text !== null && !ISO.test(text))) return undefined;
  return { since: since ?? '', until: until ?? '~' };
}
