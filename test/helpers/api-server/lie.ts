import type { ServerResponse } from 'node:http';
import * as z from 'zod/mini';
import { type Answer, sendJson } from './answers.ts';
import type { Faults } from './faults.ts';

const listSchema = z.looseObject({ metadata: z.looseObject({}), items: z.array(z.unknown()) });
const HUGE_BYTES = 32 * 1_024 * 1_024;

/** Answers a list with what is wrong with it: see `Faults`. */
export function sendList(response: ServerResponse, { code, body }: Answer, lie: Faults['lie']): void {
  const list = code === 200 ? listSchema.safeParse(body).data : undefined;
  if (list === undefined || lie !== 'invalid') {
    sendJson(response, code, list === undefined ? body : liedList(list, lie));
    return;
  }
  const text = JSON.stringify(body);
  response.writeHead(code, { 'content-type': 'application/json' });
  response.end(text.slice(0, text.length / 2));
}

function liedList(list: z.infer<typeof listSchema>, lie: Faults['lie']): object {
  switch (lie) {
    case 'none':
    case 'invalid':
      return list;
    case 'empty':
      return { ...list, items: [] };
    case 'half':
      return { ...list, items: list.items.filter((_, index) => index % 2 === 0) };
    case 'old':
      return { ...list, metadata: { ...list.metadata, resourceVersion: '1' } };
    case 'huge':
      return { ...list, padding: 'x'.repeat(HUGE_BYTES) };
  }
}
