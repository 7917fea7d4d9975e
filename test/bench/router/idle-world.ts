/** A program: `idle-world.ts CLIENTS RELOADS ON DIR` counts what reloads do to idle keep-alive clients of a router and prints JSON. */
import { createServer } from 'node:http';
import { connect, type Socket } from 'node:net';
import { askHost, untilGood } from './ask-host.ts';
import { storedObjects, storedRoute } from './live-objects.ts';
import { ports, startLiveScene } from './live-scene.ts';
import { hostOf, POD_PORT, podAddresses } from './objects.ts';

const [clients = 0, reloads = 0] = process.argv.slice(2, 4).map(Number);
const [idleCloseOnResponse = 'true', dir = ''] = process.argv.slice(4, 6);
const ROUTES = 10;
const request = `GET /app HTTP/1.1\r\nHost: ${hostOf(0)}\r\n\r\n`;

/** Resolves with whether the answer was 200. */
function ask(socket: Socket): Promise<boolean> {
  return new Promise((resolve) => {
    const fail = (): void => resolve(false);
    if (socket.destroyed || socket.readableEnded) return fail();
    socket.once('error', fail).once('close', fail);
    socket.once('data', (text) => resolve(String(text).startsWith('HTTP/1.1 200 ')));
    socket.write(request);
  });
}

const countOf = async (answers: readonly Promise<boolean>[], wanted: boolean): Promise<number> =>
  (await Promise.all(answers)).filter((answer) => answer === wanted).length;

async function measure() {
  await using scene = await startLiveScene(storedObjects(ROUTES), dir, {
    forceDeleteTimeout: 'never',
    env: { ROUTER_IDLE_CLOSE_ON_RESPONSE: idleCloseOnResponse },
  });
  const status = async () => (await askHost(ports.httpPort, hostOf(0))).status;
  await untilGood('the first route', status, (code) => code === 200);
  const sockets = Array.from({ length: clients }, () => connect(ports.httpPort, '127.0.0.1'));
  for (const socket of sockets) socket.on('error', () => undefined);
  const unanswered = await countOf(sockets.map(ask), false);
  const before = (await scene.serving()).generation;
  const count = async () => (await scene.serving()).generation - before;
  for (let [index, done] = [ROUTES, 0]; done < reloads; index += 1) {
    scene.store.set(storedRoute(index));
    const known = done;
    await untilGood('a reload', count, (found) => found > known);
    done = await count();
  }
  const closed = sockets.filter((socket) => socket.destroyed || socket.readableEnded).length;
  const failed = await countOf(sockets.map(ask), false);
  for (const socket of sockets) socket.destroy();
  return { reloads: await count(), unanswered, closed, failed };
}

for (const address of podAddresses)
  createServer((_, response) => void response.end(address)).listen(POD_PORT, address);
console.log(JSON.stringify(await measure()));
process.exit(0);
