import { connect } from 'node:net';
import { monotonicMs } from '../../../src/engine/system/time/monotonic-clock.ts';

export interface SentReload {
  readonly sentAtMs: number;
  /** Everything received until the other side closed: a line of JSON from hawser, nothing from the shell daemon. Never rejects. */
  readonly answer: Promise<string>;
}

const PATIENCE_MS = 20_000;

/** Sends `reload` like `echo reload | socat - UNIX:…`: one line, then the sending side is closed. */
export function sendReload(socketPath: string): SentReload {
  const sentAtMs = monotonicMs();
  const answer = new Promise<string>((resolve) => {
    let text = '';
    const socket = connect({ path: socketPath, allowHalfOpen: true }, () => socket.end('reload\n'));
    const timer = setTimeout(() => socket.destroy(), PATIENCE_MS);
    socket.setEncoding('utf8');
    socket.on('data', (piece) => {
      text += piece;
    });
    socket.on('error', () => {});
    socket.on('close', () => {
      clearTimeout(timer);
      resolve(text.trim());
    });
  });
  return { sentAtMs, answer };
}
