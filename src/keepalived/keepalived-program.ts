import { closeSync, mkdirSync, renameSync, rmSync, writeSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { messageOf } from '../engine/system/errors.ts';
import { readText } from '../engine/system/file/read-regular-file.ts';
import { replaceFile } from '../engine/system/file/replace-file.ts';
import { forgetUnanswered } from '../engine/system/network/neighbours.ts';
import { type ProcessId, readProcess, signalProcess } from '../engine/system/process/processes.ts';
import { runLeanCommand } from '../engine/system/process/run-lean-command.ts';
import { type SpawnOutcome, spawnDaemon } from '../engine/system/process/spawn-daemon.ts';
import { readKeepalivedBuild } from './build.ts';
import { createKeepalivedCheck } from './check-configuration.ts';
import { createKeepalivedOutput, type KeepalivedOutput } from './output.ts';
import {
  ACCEPTED_FILE,
  describeConfiguration,
  LAST_GOOD_FILE,
  markConfiguration,
  readAccepted,
} from './parse-configuration.ts';
import { parseDump, parseWords } from './parse-dump.ts';
import { repairAddress, sweepConfigured } from './sweep.ts';
import { createTrackFileWatchdog, removeBonus, type TrackFileWatchdog } from './track-file.ts';
import type { AcceptedConfiguration, AcceptOutcome, KeepalivedDriver, SelfReport } from './vrrp-program.ts';

const CHECK_TIMEOUT_MS = 10_000;
/** keepalived writes a dump in about a millisecond, and reloads in about ten. */
const DUMP_INTERVAL_MS = 40;
const STDERR = 2;

type KeepalivedPaths = ReturnType<typeof keepalivedPaths>;

/** The files of one keepalived. All but the first two are in the supervisor's run directory. */
export function keepalivedPaths(settings: {
  readonly keepalived: string;
  readonly config: string;
  readonly runDir: string;
}) {
  const { keepalived, config, runDir } = settings;
  return {
    keepalived,
    /** The configuration that the monitor writes. keepalived itself reads only `accepted`. */
    config,
    accepted: join(runDir, ACCEPTED_FILE),
    /** A copy of the last configuration with which keepalived has run. */
    lastGood: join(runDir, LAST_GOOD_FILE),
    candidate: join(runDir, 'keepalived.candidate.conf'),
    pidFile: join(runDir, 'keepalived.pid'),
    vrrpPidFile: join(runDir, 'vrrp.pid'),
    /** keepalived writes its dumps here: its TMPDIR. */
    dumpDir: join(runDir, 'dump'),
    /** keepalived's stdout and stderr. */
    output: join(runDir, 'keepalived.log'),
  };
}

/** keepalived as its supervisor drives it. keepalived reads a copy of the configuration, which its own check has accepted. */
export function createKeepalivedProgram(
  paths: KeepalivedPaths,
  options: { readonly realtimePriority: number | undefined; readonly silentAfterMs: number },
): KeepalivedDriver {
  let accepting: Promise<unknown> = Promise.resolve();
  const output = createKeepalivedOutput(paths.output, (text) => writeSync(STDERR, text));
  const watchdogs = new Map<string, TrackFileWatchdog>();
  const watchdogOf = (path: string): TrackFileWatchdog => {
    const watchdog = watchdogs.get(path) ?? createTrackFileWatchdog(path, options.silentAfterMs);
    watchdogs.set(path, watchdog);
    return watchdog;
  };
  return {
    hasConfiguration: () => readText(paths.config) !== '',
    lastAccepted: () => readAccepted(paths.accepted),
    lastGood: () => readAccepted(paths.lastGood),
    // One at a time, because all of them use the same candidate file.
    accept: (refusedHash) => {
      const outcome = accepting.then(() => accept(paths, refusedHash));
      accepting = outcome;
      return outcome;
    },
    keepLastGood: () => {
      const text = readText(paths.accepted);
      if (text !== readText(paths.lastGood)) replaceFile(paths.lastGood, text, 0o600);
    },
    start: (configuration) => start(paths, configuration, options.realtimePriority, output),
    listen: () => output.forward().flatMap((line) => parseWords(line) ?? []),
    reload: (id) => void signalProcess(id, 'SIGHUP'),
    confirm: (id, configuration, signal) => confirm(paths, id, configuration, signal),
    findLeftOver: () => findLeftOver(paths),
    repair: repairAddress,
    watchTrackFiles: ({ trackFiles }, isHolder) =>
      trackFiles.flatMap((file) => {
        const reading = watchdogOf(file.path)(isHolder(file), Date.now());
        return reading === undefined ? [] : { ...reading, instances: file.instances };
      }),
    discardUnsent: forgetUnanswered,
    sweep: () => sweepConfigured(paths),
  };
}

/** Checks a copy, because the file itself may change at any moment. */
async function accept(paths: KeepalivedPaths, refusedHash: string | undefined): Promise<AcceptOutcome> {
  const refuse = (why: string): AcceptOutcome => ({
    kind: 'refused',
    message: `Cannot use configuration "${paths.config}": ${why}`,
  });
  const text = readText(paths.config);
  if (text === '') return refuse('it is missing or empty, expected text');
  const number = (readAccepted(paths.accepted)?.number ?? 0) + 1;
  const configuration = describeConfiguration(text, number);
  if (configuration.sha256 === refusedHash)
    return refuse('keepalived ended twice when it read this text, which is refused for ten minutes');
  try {
    // Without the folder keepalived creates no track file, and would hold the VIP regardless of the node's health.
    for (const { path } of configuration.trackFiles) mkdirSync(dirname(path), { recursive: true });
    replaceFile(paths.candidate, markConfiguration(text, number), 0o600);
    const check = createKeepalivedCheck({
      keepalivedPath: paths.keepalived,
      timeoutMs: CHECK_TIMEOUT_MS,
      run: runLeanCommand,
    });
    const outcome = await check(paths.candidate);
    if (outcome.kind === 'impossible') return { kind: 'unchecked', message: outcome.message };
    if (outcome.kind === 'invalid') return { ...outcome, kind: 'refused' };
    renameSync(paths.candidate, paths.accepted);
    return { kind: 'accepted', configuration };
  } catch (error) {
    const message = `Cannot keep a copy of "${paths.config}": ${messageOf(error)}, expected to write "${paths.accepted}"`;
    return { kind: 'unchecked', message };
  }
}

function start(
  paths: KeepalivedPaths,
  { number, trackFiles }: AcceptedConfiguration,
  realtimePriority: number | undefined,
  output: KeepalivedOutput,
): SpawnOutcome {
  // A newer copy has ended keepalived. Even an older good one is better than that.
  if (readAccepted(paths.accepted)?.number !== number && readAccepted(paths.lastGood) !== undefined)
    renameSync(paths.lastGood, paths.accepted);
  for (const { path } of trackFiles) removeBonus(path);
  // No earlier keepalived runs, but keepalived would treat an exited process that is not reaped yet as running.
  for (const file of [paths.pidFile, paths.vrrpPidFile]) rmSync(file, { force: true });
  const fd = output.open();
  const outcome = spawnDaemon(daemonArgv(paths, realtimePriority), { TMPDIR: paths.dumpDir }, fd);
  if (fd !== undefined) closeSync(fd);
  return outcome;
}

/**
 * Runs in the foreground and VRRP only. Without `--no_bfd`, a keepalived 2.3 built with BFD considers itself already running if /run is
 * read-only or another instance starts. With `--dont-respawn`, the supervisor restarts keepalived: unlike the parent process, it
 * waits until the VIPs of a dead child are gone. `chrt` sets the realtime priority, because with `vrrp_rt_priority` 2.2.7 is killed at
 * its next reload (RLIMIT_RTTIME).
 */
function daemonArgv(
  paths: KeepalivedPaths,
  realtimePriority: number | undefined,
): readonly [string, ...string[]] {
  const own = [
    paths.keepalived,
    '--vrrp',
    ...(readKeepalivedBuild(paths.keepalived)?.bfd === true ? ['--no_bfd'] : []),
    '--dont-fork',
    '--dont-respawn',
    '--log-console',
    '--log-detail',
    '--no-syslog',
    '--pid',
    paths.pidFile,
    '--vrrp_pid',
    paths.vrrpPidFile,
    '--use-file',
    paths.accepted,
  ] as const;
  return realtimePriority === undefined ? own : ['chrt', '--rr', String(realtimePriority), ...own];
}

/**
 * Requests dumps until one shows this configuration. Must be called only after keepalived has reported a state or after a reload: a
 * signal before keepalived is ready would end it.
 */
async function confirm(
  paths: KeepalivedPaths,
  id: ProcessId,
  configuration: AcceptedConfiguration,
  signal: AbortSignal,
): Promise<SelfReport | undefined> {
  const dumpPath = join(paths.dumpDir, 'keepalived.data');
  rmSync(dumpPath, { force: true });
  while (!signal.aborted && signalProcess(id, 'SIGUSR1')) {
    await pause(DUMP_INTERVAL_MS);
    const { number, instances } = parseDump(readText(dumpPath));
    const dumped = new Set(instances.map(({ name }) => name));
    if (number === configuration.number && configuration.instances.every(({ name }) => dumped.has(name)))
      return instances;
  }
  return undefined;
}

/** Finds a running keepalived by the pid file. The process must have been started with this pid file's path. */
function findLeftOver({ pidFile }: KeepalivedPaths): ProcessId | undefined {
  const pid = Number(readText(pidFile).trim());
  if (!Number.isInteger(pid) || pid <= 1) return undefined;
  const running = readProcess(pid);
  const argv = readText(`/proc/${pid}/cmdline`).split('\0');
  return running !== undefined && running.state !== 'Z' && argv.includes(pidFile) ? running.id : undefined;
}
