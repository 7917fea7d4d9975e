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
import { ConfigError, messageOf } from '../engine/system/errors.ts';
import { runLeanCommand } from '../engine/system/process/run-lean-command.ts';
import { hawserVersion } from '../engine/system/version.ts';
import { ACCEPTED_FILE } from '../keepalived/argv.ts';
import { createKeepalivedProgram } from '../keepalived/keepalived-program.ts';
import { readNotifyFifo } from '../keepalived/notify-fifo.ts';
import {
  type KeepalivedSuperviseSettings,
  keepalivedSuperviseCommand,
  keepalivedSuperviseSettings,
} from '../keepalived/supervise/keepalived-supervise-settings.ts';
import { unreadiness } from '../keepalived/supervise/readiness.ts';
import { createVrrpSupervisor, type VrrpSupervisor } from '../keepalived/supervise/supervisor.ts';
import type { VrrpStatus } from '../keepalived/supervise/vrrp-status.ts';
import {
  createVrrpSupervisorMetrics,
  type Holding,
} from '../keepalived/supervise/vrrp-supervisor-metrics.ts';

/** `hawser keepalived supervise`: resolves with 0 after a stop was requested and no VIP is left. */
export async function run(argv: readonly string[], env: NodeJS.ProcessEnv): Promise<number> {
  const line = readCommandLine(keepalivedSuperviseCommand, argv, env);
  if (line.kind === 'help') {
    process.stdout.write(line.text);
    return 0;
  }
  const settings = keepalivedSuperviseSettings(line.values);
  return await supervise(settings, await openLog('keepalived-supervisor', settings));
}

async function supervise(settings: KeepalivedSuperviseSettings, write: Log): Promise<number> {
  const metrics = createVrrpSupervisorMetrics();
  const log = observeSupervisor(write, metrics);
  survive(log);
  const { runDir, socket, config } = settings;
  mkdirSync(dirname(socket), { recursive: true });
  mkdirSync(join(runDir, 'dump'), { recursive: true, mode: 0o700 });
  const { promise: ready, resolve: setReady } = Promise.withResolvers<VrrpSupervisor>();
  // The socket comes first: a second supervisor must be turned away before it touches any process or address.
  const control = await serveControlSocket(socket, async (line) => await answerLine(line, await ready), log);
  if (control.kind === 'in-use') {
    const text = `Cannot listen on "${socket}": another supervisor answers there, expected none`;
    throw new ConfigError([text]);
  }
  const supervisor = await start(settings, log).catch(async (error: unknown) => {
    await control.close();
    throw error;
  });
  setReady(supervisor);
  onSignals(supervisor);
  log({ event: 'supervisor-started', socket, config, runDir });
  const end = new AbortController();
  const own = processMetrics({ version: hawserVersion() });
  const page = {
    trouble: supervisor.trouble,
    unready: () => unreadiness(supervisor.status()),
    metrics: () => `${metrics.text(holdingsOf(supervisor.status()))}\n${own()}`,
    status: supervisor.status,
  };
  void servePatiently(settings.listen, page, log, end.signal);
  await supervisor.finished;
  end.abort();
  await control.close();
  log({ event: 'supervisor-stopped' });
  return 0;
}

function holdingsOf({ instances }: VrrpStatus): readonly Holding[] {
  return instances.flatMap(({ name, state, vips }) =>
    vips.map(({ address, present }) => ({
      instance: name,
      vip: address,
      holder: state === 'MASTER' && present,
    })),
  );
}

async function start(settings: KeepalivedSuperviseSettings, log: Log): Promise<VrrpSupervisor> {
  const { runDir, config, keepalived } = settings;
  const paths = {
    keepalived,
    config,
    accepted: join(runDir, ACCEPTED_FILE),
    candidate: join(runDir, 'keepalived.candidate.conf'),
    pidFile: join(runDir, 'keepalived.pid'),
    vrrpPidFile: join(runDir, 'vrrp.pid'),
    dumpDir: join(runDir, 'dump'),
    output: join(runDir, 'keepalived.log'),
  };
  const realtimePriority = await permittedPriority(settings.realtimePriority, log);
  const { promise: told, resolve: resolveSupervisor } = Promise.withResolvers<VrrpSupervisor>();
  const closeFifo = await readNotifyFifo(
    join(runDir, 'notify.fifo'),
    (notification) => void told.then((supervisor) => supervisor.notified(notification)),
  );
  const supervisor = createVrrpSupervisor({
    program: createKeepalivedProgram(paths, { realtimePriority, silentAfterMs: settings.monitorTimeout }),
    recordPath: join(runDir, 'hawser-keepalived.json'),
    statePath: join(runDir, 'vrrp-state.json'),
    log,
  });
  resolveSupervisor(supervisor);
  void supervisor.finished.then(closeFifo);
  return supervisor;
}

/** Starting even `true` takes long on a starved node. This runs once per process. */
const TRY_PRIORITY_MS = 20_000;

/** Without CAP_SYS_NICE in the container, keepalived runs without a realtime priority. */
async function permittedPriority(wanted: number | undefined, log: Log): Promise<number | undefined> {
  if (wanted === undefined) return undefined;
  const tried = await runLeanCommand(['chrt', '--rr', String(wanted), 'true'], {
    timeoutMs: TRY_PRIORITY_MS,
  }).then(
    ({ exitCode, stderr }) => (exitCode === 0 ? undefined : stderr.trim() || `exit code ${exitCode}`),
    messageOf,
  );
  if (tried === undefined) return wanted;
  log({ event: 'no-realtime-priority', level: 'warn', wanted, message: tried });
  return undefined;
}

async function answerLine(line: string, supervisor: VrrpSupervisor): Promise<Answer> {
  switch (line) {
    case 'reload':
    case 'start':
    case 'stop':
    case 'leave':
      return await supervisor.request(line);
    case 'status':
      return supervisor.status();
    case 'ping':
      return { ok: true };
    default:
      return {
        ok: false,
        stage: 'protocol',
        message: `Cannot answer "${line.slice(0, 80)}": it is no request, expected "reload", "stop", "leave", "start", "status" or "ping"`,
      };
  }
}

function onSignals(supervisor: VrrpSupervisor): void {
  process.on('SIGTERM', supervisor.stop);
  process.on('SIGINT', supervisor.stop);
  process.on('SIGHUP', () => void supervisor.request('reload'));
}
