import type { ServerResponse } from 'node:http';
import { pipeline, Readable } from 'node:stream';
import * as z from 'zod/mini';
import { type Answer, sendJson } from './answers.ts';
import type { Faults } from './faults.ts';

const listSchema = z.looseObject({ metadata: z.looseObject({}), items: z.array(z.unknown()) });
const CHUNK = 'x'.repeat(64 * 1_024);
const CHUNKS = 512;

/** Answers with a wrong list: see `Faults`. */
export function sendList(response: ServerResponse, { code, body }: Answer, lie: Faults['lie']): void {
  const list = code === 200 ? listSchema.safeParse(body).data : undefined;
  if (list === undefined) sendJson(response, code, body);
  else if (lie === 'huge') sendPieces(response, padded(JSON.stringify(list)));
  else if (lie === 'invalid') sendPieces(response, [halfOf(JSON.stringify(list))]);
  else sendJson(response, code, liedList(list, lie));
}

function liedList(list: z.infer<typeof listSchema>, lie: Exclude<Faults['lie'], 'huge' | 'invalid'>): object {
  switch (lie) {
    case 'none':
      return list;
    case 'empty':
      return { ...list, items: [] };
    case 'half':
      return { ...list, items: list.items.filter((_, index) => index % 2 === 0) };
    case 'old':
      return { ...list, metadata: { ...list.metadata, resourceVersion: '1' } };
  }
}

function halfOf(text: string): string {
  return text.slice(0, text.length / 2);
}

function* padded(text: string): Iterable<string> {
  yield `${text.slice(0, -1)},"padding":"`;
  for (let chunk = 0; chunk < CHUNKS; chunk += 1) yield CHUNK;
  yield '"}';
}

/** Piece by piece, so that other requests are answered in the meantime. Ends if the client disconnects. */
function sendPieces(response: ServerResponse, pieces: Iterable<string>): void {
  response.writeHead(200, { 'content-type': 'application/json' });
  pipeline(Readable.from(pieces), response, () => {});
}
