import { release } from 'node:os';
import { versions } from 'node:process';
import { fileURLToPath } from 'node:url';
import { runCommand } from '../../../src/engine/system/process/run-command.ts';
import { monotonicMs } from '../../../src/engine/system/time/monotonic-clock.ts';
import { AHEAD } from '../../helpers/vrrp/bed-process.ts';
import { stackPorts } from '../../helpers/vrrp/node-stack.ts';
import type { World } from '../world/world.ts';
import type { HistoryWriter } from './history.ts';
import { recordMachine } from './machine.ts';
import { watchNodes } from './node-watch.ts';
import { recordProgram } from './record-program.ts';

const streamClient = fileURLToPath(new URL('stream-client.ts', import.meta.url));

export interface Recorder extends AsyncDisposable {
  /** Writes what the kernel and the client have reported since the last flush. */
  flush(): void;
}

/** Starts the history of a world and records until it is disposed of. */
export async function startRecorder(world: World, seed: number, history: HistoryWriter): Promise<Recorder> {
  const { bed, nodes, client } = world;
  await using owned = new AsyncDisposableStack();
  history.write({
    kind: 'run',
    atMs: monotonicMs(),
    seed,
    vip: bed.vip,
    nodes: nodes.map(({ name, address }) => ({ name, address })),
    versions: {
      node: versions.node,
      kernel: release(),
      haproxy: await versionOf('/usr/sbin/haproxy', '-v'),
      keepalived: await versionOf('/usr/sbin/keepalived', '--version'),
    },
  });
  let toldEvents = 0;
  let toldProbes = 0;
  const flush = () => {
    const events = bed.events();
    for (const event of events.slice(toldEvents)) history.write({ kind: 'address', ...event });
    toldEvents = events.length;
    for (const probe of client.probes().slice(toldProbes)) history.write({ kind: 'probe', ...probe });
    // The client keeps the latest probes, which are already written.
    client.forget();
    toldProbes = client.probes().length;
  };
  owned.use(recordMachine(nodes, history));
  owned.use(watchNodes(nodes, history));
  const streams = [...AHEAD, process.execPath, streamClient, bed.vip, `${stackPorts.lb}`] as const;
  owned.use(recordProgram([...bed.client.prefix, ...streams], history));
  owned.defer(flush);
  const all = owned.move();
  return { flush, [Symbol.asyncDispose]: () => all.disposeAsync() };
}

async function versionOf(...argv: [string, ...string[]]): Promise<string> {
  const { stdout, stderr } = await runCommand(argv, { timeoutMs: 10_000 });
  return /\d+\.\d+\.\d+/.exec(`${stdout}${stderr}`)?.[0] ?? 'unknown';
}
