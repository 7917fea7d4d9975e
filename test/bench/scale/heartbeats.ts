/**
 * A program inside the bench's namespace: an API server with NODES nodes, the first of which are the control plane. RATE
 * nodes a second send a heartbeat, until the end of its input. Prints a line of JSON once it listens, and one with the
 * count at the end.
 *
 *   node heartbeats.ts NODES RATE CERT KEY ADDRESS…
 */
import { readFileSync } from 'node:fs';
import { monotonicMs } from '../../../src/engine/system/time/monotonic-clock.ts';
import { startApiServer } from '../../helpers/api-server/api-server.ts';
import { createObjectStore } from '../../helpers/api-server/object-store.ts';
import { node } from '../../helpers/api-server/objects.ts';

/** The images in a node's status: 4 kB of what a real node has. */
const images = Array.from({ length: 40 }, (_, index) => {
  return {
    names: [`registry.example/image-${index}@sha256:${'0'.repeat(64)}`],
    sizeBytes: 100_000_000 + index,
  };
});

const [count = '', rate = '', certFile = '', keyFile = '', ...addresses] = process.argv.slice(2);
const store = createObjectStore();
const nodes = Array.from({ length: Number(count) }, (_, index) => {
  const address = addresses[index];
  const plain = node(
    `worker-${index}`,
    [`10.${80 + (index >> 14)}.${(index >> 6) & 255}.${(index & 63) + 1}`],
    {},
  );
  const found = address === undefined ? plain : node(`cp-${index + 1}`, [address]);
  return { ...found, status: { ...Object(found['status']), images } };
});
for (const each of nodes) store.set(each);
const [host = ''] = addresses;
const tls = { cert: readFileSync(certFile, 'utf8'), key: readFileSync(keyFile, 'utf8') };
await startApiServer({ store, ...tls, host, port: 6443 });

const beganAtMs = monotonicMs();
let beats = 0;
const beat = (): void => {
  const found = nodes[beats % nodes.length];
  const conditions = [{ type: 'Ready', status: 'True', lastHeartbeatTime: `${beats}` }];
  if (found !== undefined) store.set({ ...found, status: { ...found.status, conditions } });
  beats += 1;
};
setInterval(() => {
  while (beats < ((monotonicMs() - beganAtMs) * Number(rate)) / 1_000) beat();
}, 5);
const end = (): void => {
  console.log(JSON.stringify({ beats, perSecond: (beats * 1_000) / (monotonicMs() - beganAtMs) }));
  process.exit(0);
};
process.on('SIGINT', () => {});
process.stdin.on('end', end).resume();
console.log('{"listens":true}');
