import type { Readable } from 'node:stream';
import type * as z from 'zod/mini';
import { overLimit } from '../system/limit.ts';
import { patientTimer } from '../system/time/patient-timeout.ts';
import { bookmarkObject, identify, statusObject, watchEvent } from './kube-objects.ts';
import type { ObjectChange } from './object-store.ts';
import type { Resource } from './resource.ts';

/** A change, or the server's message that the watch started too far back, so that a new list is needed. */
type WatchMessage<T> = ObjectChange<T> | { readonly kind: 'expired' };

/**
 * The messages of a watch, in order, until the server ends it. Throws once the watch is no longer reliable: after a reset, silence for `idleMs` (a
 * half-open connection reports nothing), a line longer than `maxLineBytes`, a line that is not a watch event, or an ERROR event other than 410. Drops
 * a message that is incomplete.
 */
export async function* readWatch<T>(
  stream: Readable,
  resource: Pick<Resource<T>, 'project'>,
  limits: { readonly idleMs: number; readonly maxLineBytes: number },
): AsyncGenerator<WatchMessage<T>> {
  for await (const line of readLines(stream, limits)) {
    if (line.trim() === '') continue;
    const message = parseMessage(line, resource);
    if (message !== undefined) yield message;
  }
}

/** Undefined for an unknown event type. */
function parseMessage<T>(
  line: string,
  { project }: Pick<Resource<T>, 'project'>,
): WatchMessage<T> | undefined {
  const { type, object } = parseOrThrow(watchEvent, JSON.parse(line));
  switch (type) {
    case 'ADDED':
    case 'MODIFIED':
      return { kind: 'object', ...identify(object), value: project(object) };
    case 'DELETED':
      return { kind: 'object', ...identify(object), value: undefined };
    case 'BOOKMARK':
      return {
        kind: 'reached',
        resourceVersion: parseOrThrow(bookmarkObject, object).metadata.resourceVersion,
      };
    case 'ERROR':
      return errorMessage(object);
    default:
      return undefined;
  }
}

/** HTTP 410 arrives inside the stream, after an answer with status 200. */
function errorMessage(object: unknown): { readonly kind: 'expired' } {
  const status = parseOrThrow(statusObject, object);
  if (status.code === 410) return { kind: 'expired' };
  throw new Error(`the API ended the watch: ${status.code ?? 'no code'} ${status.message ?? ''}`);
}

/** zod's error is a page of JSON, too long for a log line. */
function parseOrThrow<S extends z.ZodMiniType>(schema: S, value: unknown): z.infer<S> {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  throw new Error('a line is not a watch event, expected {"type": …, "object": …}', { cause: parsed.error });
}

async function* readLines(
  stream: Readable,
  limits: { readonly idleMs: number; readonly maxLineBytes: number },
): AsyncGenerator<string> {
  using silence = patientTimer(limits.idleMs, () =>
    stream.destroy(new Error(`silent for ${limits.idleMs} ms, expected bookmarks`)),
  );
  let pieces: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const chunk of stream) {
      silence.restart();
      for (const [index, piece] of splitLines(chunk).entries()) {
        // Every piece except the first follows a newline, which completes the collected line.
        if (index > 0) {
          yield Buffer.concat(pieces).toString('utf8');
          pieces = [];
          bytes = 0;
        }
        pieces.push(piece);
        bytes += piece.length;
        const over = overLimit(bytes, 'bytes', { maxLineBytes: limits.maxLineBytes });
        if (over !== undefined) throw new Error(`a line has ${over}`);
      }
    }
  } finally {
    stream.destroy();
  }
}

function splitLines(chunk: Buffer): readonly Buffer[] {
  const pieces: Buffer[] = [];
  let start = 0;
  for (let end = chunk.indexOf(10); end !== -1; end = chunk.indexOf(10, start)) {
    pieces.push(chunk.subarray(start, end));
    start = end + 1;
  }
  pieces.push(chunk.subarray(start));
  return pieces;
}
