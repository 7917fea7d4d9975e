import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { join } from 'node:path';
import { decodeAnswer } from '../../../src/engine/control/answer.ts';
import { serveControlSocket } from '../../../src/engine/control/control-server.ts';
import { MAX_LINE_BYTES } from '../../../src/engine/control/line-splitter.ts';
import { bytesNear, inPieces } from '../hostile.ts';
import { openScratchFolder } from '../scratch-folder.ts';
import { attackWith, type OpenTarget, type Target } from '../target.ts';

const requests = bytesNear([
  'reload\n',
  'status\r\nping\n',
  'reload\nreload\nreload',
  `${'x'.repeat(MAX_LINE_BYTES - 2)}\nping\n`,
  'ping\n'.repeat(300),
]);

/** Blank lines do not count; a last line without a newline does. */
const linesIn = (bytes: Buffer) =>
  bytes
    .toString('utf8')
    .split('\n')
    .filter((line) => line.trim() !== '').length;

function ask(path: string, pieces: readonly Buffer[]): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = '';
    const socket = connect({ path, allowHalfOpen: true }, () => {
      for (const piece of pieces) socket.write(piece);
      socket.end();
    });
    socket.setEncoding('utf8');
    socket.on('data', (piece) => {
      text += piece;
    });
    socket.once('error', reject);
    socket.once('end', () => resolve(text));
  });
}

async function open(): Promise<OpenTarget> {
  const scratch = openScratchFolder();
  const path = join(scratch.path, 'control.sock');
  const served = await serveControlSocket(path, async (line) => {
    if (line.includes('"')) throw new Error('Cannot answer: a quote');
    // Like the supervisors' answers, this one is short however long the line is.
    return { ok: true, line: line.slice(0, 80) };
  });
  if (served.kind === 'in-use') throw new Error(`Cannot serve "${path}": it is in use`);
  const attack = attackWith(inPieces(requests), async ({ whole, pieces }) => {
    const lines = (await ask(path, pieces)).split('\n');
    assert.equal(lines.pop(), '');
    assert.equal(lines.length, linesIn(whole));
    assert.deepEqual(
      lines.filter((line) => decodeAnswer(line) === undefined),
      [],
    );
  });
  return {
    attack,
    [Symbol.asyncDispose]: async () => {
      await served.close();
      scratch[Symbol.dispose]();
    },
  };
}

export const controlSocket: Target = {
  name: 'control-socket',
  claim: 'every line gets one answer, however the bytes arrive',
  open,
};
