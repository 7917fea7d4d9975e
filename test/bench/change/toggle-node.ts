/**
 * A program inside the bench's namespace: four API servers with a shared store, in which the fourth node comes and goes.
 * Prints, as JSON, how many milliseconds HAProxy took each time to add or remove it.
 *
 *   node toggle-node.ts ROUNDS CERT KEY STATS_SOCKET ADDRESS…
 */
import { readFileSync } from 'node:fs';
import { askRuntimeApi } from '../../../src/haproxy/runtime-api.ts';
import { parseRunningServers } from '../../../src/haproxy/text/servers-state.ts';
import { startApiServer } from '../../helpers/api-server/api-server.ts';
import { createObjectStore } from '../../helpers/api-server/object-store.ts';
import { node } from '../../helpers/api-server/objects.ts';
import { waitFor } from '../../helpers/wait-for.ts';

/** Together these take longer than two generations overlap. */
const EQUAL_ANSWERS = 100;

const [rounds = '', certFile = '', keyFile = '', statsSocket = '', ...addresses] = process.argv.slice(2);
const store = createObjectStore();
const nodes = addresses.map((address, index) => node(`cp-${index + 1}`, [address]));
for (const each of nodes) store.set(each);
const cert = readFileSync(certFile, 'utf8');
const key = readFileSync(keyFile, 'utf8');
await Promise.all(addresses.map((host) => startApiServer({ store, cert, key, host, port: 6443 })));

const last = nodes.at(-1);
const name = last?.metadata.name ?? '';
await waitFor('HAProxy to serve all nodes', serves, 30_000);
const changes: number[] = [];
for (let round = 0; round < Number(rounds); round += 1) {
  const add = round % 2 === 1;
  const before = performance.now();
  if (add && last !== undefined) store.set(last);
  else store.delete('Node', name);
  changes.push((await agreedAt(add)) - before);
}
process.stdout.write(`${JSON.stringify(changes)}\n`);
process.exit(0);

/** Whether the node gets new clients. A draining one stays listed until its sessions have ended. */
async function serves(): Promise<boolean> {
  const state = (await askRuntimeApi(statsSocket, 'show servers state masters', 1_000)) ?? '';
  return parseRunningServers(state)?.get(`masters/${name}`)?.isOut === false;
}

/**
 * When HAProxy agreed, as a `performance.now()` time. The old and the new generation share the stats socket for a moment
 * and either may answer, so the time is that of the first of many equal answers.
 */
async function agreedAt(wanted: boolean): Promise<number> {
  const end = performance.now() + 30_000;
  let since: number | undefined;
  for (let equal = 0; equal < EQUAL_ANSWERS; ) {
    const now = performance.now();
    if (now > end) throw new Error(`Cannot measure: HAProxy did not follow "${name}" within 30 s`);
    const agrees = (await serves()) === wanted;
    equal = agrees ? equal + 1 : 0;
    since = agrees ? (since ?? now) : undefined;
  }
  return since ?? end;
}
