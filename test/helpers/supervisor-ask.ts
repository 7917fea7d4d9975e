import { connect } from 'node:net';

/**
 * What a control socket answers to these bytes from a client that then closes its sending side: one parsed value per
 * line, once the other side is done. Rejects if no process listens, or if it is not done within `timeoutMs`.
 */
export function askRaw(
  socketPath: string,
  bytes: string | Buffer,
  timeoutMs = 30_000,
): Promise<readonly unknown[]> {
  return new Promise((resolve, reject) => {
    let received = '';
    const socket = connect({ path: socketPath, allowHalfOpen: true });
    socket.setEncoding('utf8');
    const timer = setTimeout(() => {
      socket.destroy();
      reject(
        new Error(`Cannot get an answer of "${socketPath}": none within ${timeoutMs} ms, has "${received}"`),
      );
    }, timeoutMs);
    socket.once('connect', () => socket.end(bytes));
    socket.on('data', (text) => {
      received += text;
    });
    socket.once('error', (error) => {
      clearTimeout(timer);
      reject(error);
    });
    socket.once('end', () => {
      clearTimeout(timer);
      socket.destroy();
      resolve(
        received
          .split('\n')
          .slice(0, -1)
          .map((line): unknown => JSON.parse(line)),
      );
    });
  });
}
