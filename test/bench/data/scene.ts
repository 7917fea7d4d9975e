import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import * as z from 'zod/mini';
import { monotonicMs } from '../../../src/engine/system/time/monotonic-clock.ts';
import { createAuthority } from '../../helpers/certificates.ts';
import { readJsonLines } from '../../helpers/load/json-lines.ts';
import { startBackends } from '../../helpers/load/start-backends.ts';
import { createNetNamespace } from '../../helpers/net-namespace.ts';
import { readProcesses, type TreeProcess } from '../../helpers/process-tree.ts';
import { waitFor } from '../../helpers/wait-for.ts';
import { threadCpuMsOf } from '../cpu-time.ts';
import { generationText } from '../reload/configuration.ts';
import { hostLoad } from '../reload/host-load.ts';
import { hostPaths, ports, servers } from '../reload/layout.ts';
import { sendReload } from '../reload/send-reload.ts';
import { temporaryFolder } from '../reload/temporary-folder.ts';
import { dataSubject, type Subject } from './subjects.ts';

const countsSchema = z.object({
  done: z.number(),
  failed: z.number(),
  bytes: z.number(),
  open: z.number(),
  elapsedMs: z.number(),
});
export type ClientCounts = z.infer<typeof countsSchema>;

export interface Client {
  /** Resolves once the client's time is up. */
  readonly ended: Promise<ClientCounts>;
  /** Ends an idle client. Resolves with its counts, such as its open connections. */
  readonly stop: () => Promise<ClientCounts>;
}

/** A serving load balancer and operations on it. */
export interface DataScene extends AsyncDisposable {
  /** Resolves once the load has started; for idle streams, once all are open. */
  readonly startClient: (
    mode: 'connect' | 'stream' | 'idle',
    seconds: number,
    count: number,
  ) => Promise<Client>;
  /** HAProxy's masters and workers. */
  readonly haproxys: () => readonly TreeProcess[];
  /** Their CPU time in milliseconds, without processes that have exited. */
  readonly haproxyCpuMs: () => number;
  /** Reloads and resolves with the milliseconds until the new file is served. */
  readonly reload: () => Promise<number>;
}

const PATIENCE_MS = 90_000;
const program = fileURLToPath(new URL('client.ts', import.meta.url));

export async function openDataScene(subject: Subject): Promise<DataScene> {
  await using stack = new AsyncDisposableStack();
  const paths = hostPaths(temporaryFolder(stack));
  const namespace = stack.use(await createNetNamespace());
  await namespace.run('sysctl', '-qw', 'net.ipv4.ip_local_port_range=17000 65000');
  await namespace.run('sysctl', '-qw', `net.ipv4.ip_local_reserved_ports=${ports.stat},${ports.health}`);
  const [file, ...behind] = namespace.prefix;
  const identity = createAuthority(paths.certificates).issue({ commonName: 'kubernetes' });
  const backends = stack.use(await startBackends(namespace.prefix, servers, identity));
  const load = hostLoad(namespace, stack);
  const prober = await load.startProber();
  const own = new Set([backends.pid, ...load.pids()]);
  const { argv, environment, textOf, reloadBy } = dataSubject(subject, paths);
  let generation = 0;
  writeFileSync(paths.config, textOf(generation));
  const child = spawn(file, [...behind, ...argv], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...environment },
  });
  const log = createWriteStream(paths.log);
  for (const output of [child.stdout, child.stderr]) output.pipe(log, { end: false });
  await waitFor(`${subject} to serve`, () => prober.servedAtMs(generationText(0)), PATIENCE_MS);

  const haproxys = () =>
    readProcesses(namespace.residents().filter((pid) => !own.has(pid))).filter(
      ({ kind }) => kind === 'haproxy-master' || kind === 'haproxy-worker',
    );
  const askForReload = (): void => {
    if (reloadBy === 'socket') sendReload(paths.masterSocket);
    else
      for (const { kind, id } of haproxys()) if (kind === 'haproxy-master') process.kill(id.pid, 'SIGUSR2');
  };
  const kept = stack.move();
  return {
    startClient: async (mode, seconds, count) => {
      const client = spawn(file, [...behind, process.execPath, program, mode, `${seconds}`, `${count}`], {
        stdio: ['pipe', 'pipe', 'inherit'],
      });
      if (client.pid !== undefined) own.add(client.pid);
      const lines: unknown[] = [];
      readJsonLines(client.stdout, (line) => lines.push(line));
      const ended = once(client, 'close').then(() => z.parse(countsSchema, lines[1]));
      await waitFor(`${mode} of ${subject} to begin`, () => lines.length > 0, PATIENCE_MS);
      return {
        ended,
        stop: async () => {
          client.stdin.end();
          return await ended;
        },
      };
    },
    haproxys,
    haproxyCpuMs: () => haproxys().reduce((sum, { id }) => sum + threadCpuMsOf(id.pid), 0),
    reload: async () => {
      generation += 1;
      writeFileSync(paths.config, textOf(generation));
      const wanted = generationText(generation);
      const fromMs = monotonicMs();
      askForReload();
      const servedAtMs = await waitFor(
        'the new file to be served',
        () => prober.servedAtMs(wanted),
        PATIENCE_MS,
      );
      return servedAtMs - fromMs;
    },
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  };
}
