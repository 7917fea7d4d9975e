import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import fc from 'fast-check';
import { parseNode } from '../../../src/engine/kube/control-plane/server-objects.ts';
import { readWatch } from '../../../src/engine/kube/watch-stream.ts';
import { messageOf } from '../../../src/engine/system/errors.ts';
import { readRecording } from '../../helpers/recordings.ts';
import { bytesNear, inPieces, jsonNear } from '../hostile.ts';
import { attackWith, type Target, withoutWorld } from '../target.ts';

const resource = { project: parseNode(6443) };
const limits = { idleMs: 10_000, maxLineBytes: 4_000 };
const recorded = ['nodes-watch', 'nodes-watch-too-old'].map((name) => readRecording(name).body);
const events = recorded.flatMap((body) =>
  body
    .split('\n')
    .filter(Boolean)
    .map((line): unknown => JSON.parse(line)),
);

const streams = fc.oneof(
  bytesNear(recorded.map((body) => body.slice(0, 3_000))),
  fc
    .array(jsonNear(events), { maxLength: 4 })
    .map((all) => Buffer.from(all.map((each) => `${JSON.stringify(each)}\n`).join(''))),
);

/** The messages up to the end of the watch, and how it ended. */
async function read(pieces: readonly Buffer[]) {
  const messages: unknown[] = [];
  try {
    for await (const message of readWatch(Readable.from(pieces), resource, limits)) messages.push(message);
    return { messages, end: 'ended' };
  } catch (error) {
    return { messages, end: messageOf(error) };
  }
}

const ends =
  /^(?:ended|a line |the API ended the watch: |Unexpected |Expected |Unterminated |Bad |No number |Exponent |")/;

export const watch: Target = {
  name: 'watch',
  claim: 'a watch says the same however it is cut, and what is no watch ends it with a reason',
  open: withoutWorld(
    attackWith(inPieces(streams), async ({ whole, pieces }) => {
      const seen = await read(pieces);
      assert.deepEqual(seen, await read([whole]));
      assert.match(seen.end, ends);
    }),
  ),
};
