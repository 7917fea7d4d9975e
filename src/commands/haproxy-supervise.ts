import { mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { readCommandLine } from '../cli/command-line.ts';
import type { Answer } from '../engine/control/answer.ts';
import { serveControlSocket } from '../engine/control/control-server.ts';
import type { Log } from '../engine/observe/logger.ts';
import { observeSupervisor } from '../engine/observe/observe-supervisor.ts';
import { openLog } from '../engine/observe/open-log.ts';
import { processMetrics } from '../engine/observe/process-metrics.ts';
import { servePatiently } from '../engine/observe/serve-patiently.ts';
import { survive } from '../engine/observe/survive.ts';
import { coalesce } from '../engine/supervise/coalesce.ts';
import { ConfigError } from '../engine/system/errors.ts';
import { hawserVersion } from '../engine/system/version.ts';
import { createHaproxyProgram } from '../haproxy/haproxy-program.ts';
import {
  type HaproxySuperviseSettings,
  haproxySuperviseCommand,
  haproxySuperviseSettings,
} from '../haproxy/supervise/haproxy-supervise-settings.ts';
import { createHaproxySupervisorMetrics } from '../haproxy/supervise/haproxy-supervisor-metrics.ts';
import { createSupervisor, type Supervisor } from '../haproxy/supervise/supervisor.ts';

/** How long a worker may take to count its sessions. The page waits less: a collector asks many pages at once. */
const COUNT_FOR_SOCKET_MS = 1_000;
const COUNT_FOR_PAGE_MS = 150;

/** `hawser haproxy supervise`: resolves with 0 after a stop was requested and every process has ended. */
export async function run(argv: readonly string[], env: NodeJS.ProcessEnv): Promise<number> {
  const line = readCommandLine(haproxySuperviseCommand, argv, env);
  if (line.kind === 'help') {
    process.stdout.write(line.text);
    return 0;
  }
  const settings = haproxySuperviseSettings(line.values, env);
  return await supervise(settings, await openLog('haproxy-supervisor', settings));
}

async function supervise(settings: HaproxySuperviseSettings, write: Log): Promise<number> {
  const metrics = createHaproxySupervisorMetrics();
  const log = observeSupervisor(write, metrics);
  survive(log);
  makeDirectories(settings);
  const { promise: ready, resolve: setReady } = Promise.withResolvers<Answering>();
  // The socket comes first: a second supervisor must be turned away before it touches any process.
  const control = await serveControlSocket(
    settings.socket,
    async (line) => await answerLine(line, await ready),
    log,
  );
  if (control.kind === 'in-use') {
    const text = `Cannot listen on "${settings.socket}": another supervisor answers there, expected none`;
    throw new ConfigError([text]);
  }
  const supervisor = await createSupervisor({
    program: createHaproxyProgram(settings),
    limits: {
      drainTimeoutMs: settings.drainTimeout,
      forceDeleteTimeoutMs: settings.forceDeleteTimeout,
      startTimeoutMs: settings.startTimeout,
    },
    recordPath: join(dirname(settings.statsSocket), 'hawser-generations.json'),
    log,
  });
  // Each status asks every worker. Coalescing keeps a client that asks a thousand times at once from opening a thousand
  // connections to each.
  const status = coalesce(() => supervisor.status(COUNT_FOR_SOCKET_MS));
  setReady({ reload: supervisor.reload, status });
  onSignals(supervisor);
  log({ event: 'supervisor-started', socket: settings.socket, config: settings.config });
  const end = new AbortController();
  const own = processMetrics({ version: hawserVersion() });
  const page = {
    trouble: supervisor.trouble,
    metrics: () => `${metrics.text(supervisor.generations())}\n${own()}`,
    status: coalesce(() => supervisor.status(COUNT_FOR_PAGE_MS)),
  };
  void servePatiently(settings.listen, page, log, end.signal);
  await supervisor.finished;
  end.abort();
  await control.close();
  log({ event: 'supervisor-stopped' });
  return 0;
}

interface Answering {
  readonly reload: Supervisor['reload'];
  readonly status: () => ReturnType<Supervisor['status']>;
}

async function answerLine(line: string, supervisor: Answering): Promise<Answer> {
  switch (line) {
    case 'reload':
      return await supervisor.reload();
    case 'status':
      return await supervisor.status();
    case 'ping':
      return { ok: true };
    default:
      return {
        ok: false,
        stage: 'protocol',
        message: `Cannot answer "${line.slice(0, 80)}": it is no request, expected "reload", "status" or "ping"`,
      };
  }
}

function onSignals(supervisor: Supervisor): void {
  process.on('SIGTERM', supervisor.stop);
  process.on('SIGINT', supervisor.stop);
  process.on('SIGHUP', () => void supervisor.reload());
}

function makeDirectories(settings: HaproxySuperviseSettings): void {
  const files = [settings.socket, settings.statsSocket, settings.pidFile, settings.stateFile];
  for (const file of files) mkdirSync(dirname(file), { recursive: true });
}
