import type { Socket } from 'node:net';
import { messageOf } from '../system/errors.ts';
import { type Answer, encodeAnswer } from './answer.ts';
import { createLineSplitter, MAX_LINE_BYTES, type SplitLine } from './line-splitter.ts';

/** Answers one line of text. */
export type AnswerLine = (line: string) => Promise<Answer>;

/** Pending requests per client. Further input is read later. */
const MAX_PENDING_REQUESTS = 256;
/** A client that never reads loses answers but keeps its connection: its next reload still counts. */
const MAX_UNREAD_BYTES = 64 * 1024;
/** Quoted characters of a bad line: a long answer would count as unread and cost the client later answers. */
const QUOTED_CHARACTERS = 80;

/**
 * Serves one client until it disconnects. Lines are processed as they arrive, so that lines sent at once can be coalesced; answers are sent in
 * the order of the lines. A client that half-closes still gets its answers.
 */
export function serveConnection(socket: Socket, answerLine: AnswerLine): void {
  const splitter = createLineSplitter();
  const waiting: SplitLine[] = [];
  let answered: Promise<void> = Promise.resolve();
  let pending = 0;
  let isOver = false;

  const send = (answer: Answer): void => {
    pending -= 1;
    if (socket.writable && socket.writableLength < MAX_UNREAD_BYTES) socket.write(encodeAnswer(answer));
    takeNext();
  };
  const takeNext = (): void => {
    while (pending < MAX_PENDING_REQUESTS) {
      const line = waiting.shift();
      if (line === undefined) break;
      pending += 1;
      const answer = line.kind === 'line' ? answerOrTrouble(line.text, answerLine) : Promise.resolve(tooLong);
      answered = answered.then(() => answer).then(send);
    }
    // One chunk may hold thousands of lines: read no other until the last of them has begun.
    if (waiting.length > 0) socket.pause();
    else if (socket.isPaused()) socket.resume();
    if (isOver && waiting.length === 0 && pending === 0) socket.end();
  };
  const accept = (lines: readonly SplitLine[]): void => {
    waiting.push(...lines);
    takeNext();
  };

  socket.on('data', (chunk) => {
    accept(splitter.push(chunk));
  });
  socket.on('end', () => {
    isOver = true;
    accept(splitter.end());
  });
  // A vanished client (EPIPE, ECONNRESET) affects only itself.
  socket.on('error', () => socket.destroy());
}

/** A failed answer must not cost the client those of its later lines. */
async function answerOrTrouble(line: string, answerLine: AnswerLine): Promise<Answer> {
  try {
    return await answerLine(line);
  } catch (error) {
    const message = `Cannot answer "${line.slice(0, QUOTED_CHARACTERS)}": ${messageOf(error)}`;
    return { ok: false, stage: 'internal', message };
  }
}

const tooLong: Answer = {
  ok: false,
  stage: 'protocol',
  message: `Cannot read the request: the line is longer than ${MAX_LINE_BYTES} bytes, expected "reload" or "status"`,
};
