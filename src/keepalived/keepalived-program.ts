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
import { daemonArgv, type KeepalivedPaths } from './argv.ts';
import { readKeepalivedBuild } from './build.ts';
import { createKeepalivedCheck } from './check-configuration.ts';
import { createKeepalivedOutput, type KeepalivedOutput } from './output.ts';
import { describeConfiguration, markConfiguration, readAccepted } from './parse-configuration.ts';
import { parseDump, parseWords } from './parse-dump.ts';
import { repairAddress, sweepConfigured } from './sweep.ts';
import { createTrackFileWatchdog, forgetBonus, type TrackFileWatchdog } from './track-file.ts';
import type { AcceptedConfiguration, AcceptOutcome, KeepalivedDriver, SelfReport } from './vrrp-program.ts';

const CHECK_TIMEOUT_MS = 10_000;
/** keepalived is done with a dump in a millisecond; a reload takes some ten. */
const DUMP_EVERY_MS = 40;
const STDERR = 2;

/** keepalived in the eyes of its supervisor. It runs on a copy of the configuration that its own check has passed. */
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
    // One after the other: they share the candidate's file.
    accept: () => {
      const outcome = accepting.then(() => accept(paths));
      accepting = outcome;
      return outcome;
    },
    start: () => start(paths, options.realtimePriority, output),
    listen: () => output.passOn().flatMap((line) => parseWords(line) ?? []),
    reload: (id) => void signalProcess(id, 'SIGHUP'),
    confirm: (id, configuration, signal) => confirm(paths, id, configuration, signal),
    findLeftOver: () => findLeftOver(paths),
    repair: repairAddress,
    watchTrackFiles: ({ trackFiles }, isHolder) =>
      trackFiles.flatMap((file) => {
        const look = watchdogOf(file.path)(isHolder(file), Date.now());
        return look === undefined ? [] : { ...look, instances: file.instances };
      }),
    discardUnsent: forgetUnanswered,
    sweep: () => sweepConfigured(paths),
  };
}

/** Checks the copy: the file itself may change a moment later. */
async function accept(paths: KeepalivedPaths): Promise<AcceptOutcome> {
  const text = readText(paths.config);
  if (text === '')
    return {
      kind: 'refused',
      message: `Cannot use configuration "${paths.config}": it is missing or empty, expected text`,
    };
  const number = (readAccepted(paths.accepted)?.number ?? 0) + 1;
  const configuration = describeConfiguration(text, number);
  try {
    // Without its folder keepalived makes no track file: it would hold the VIP whatever the node's health.
    for (const { path } of configuration.trackFiles) mkdirSync(dirname(path), { recursive: true });
    replaceFile(paths.candidate, markConfiguration(text, number), 0o600);
    const check = createKeepalivedCheck({
      keepalivedPath: paths.keepalived,
      timeoutMs: CHECK_TIMEOUT_MS,
      run: runLeanCommand,
    });
    const outcome = await check(paths.candidate);
    if (outcome.kind !== 'valid') return { ...outcome, kind: 'refused' };
    renameSync(paths.candidate, paths.accepted);
    return { kind: 'accepted', configuration };
  } catch (error) {
    const message = `Cannot keep a copy of "${paths.config}": ${messageOf(error)}, expected to write "${paths.accepted}"`;
    return { kind: 'refused', message };
  }
}

function start(
  paths: KeepalivedPaths,
  realtimePriority: number | undefined,
  output: KeepalivedOutput,
): SpawnOutcome {
  for (const { path } of readAccepted(paths.accepted)?.trackFiles ?? []) forgetBonus(path);
  // No earlier keepalived runs, but an exited process that was not reaped yet would look to keepalived as if it did.
  for (const file of [paths.pidFile, paths.vrrpPidFile]) rmSync(file, { force: true });
  const fd = output.open();
  const build = readKeepalivedBuild(paths.keepalived);
  const outcome = spawnDaemon(daemonArgv(paths, realtimePriority, build), { TMPDIR: paths.dumpDir }, fd);
  if (fd !== undefined) closeSync(fd);
  return outcome;
}

/**
 * keepalived is asked only after it has reported a state, or after a reload: a signal before it is ready would end it.
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
    await pause(DUMP_EVERY_MS);
    const { number, instances } = parseDump(readText(dumpPath));
    const dumped = new Set(instances.map(({ name }) => name));
    if (number === configuration.number && configuration.instances.every(({ name }) => dumped.has(name)))
      return instances;
  }
  return undefined;
}

/** Finds it by the pid file, whose path no other program uses, and only if that process was started with this path. */
function findLeftOver({ pidFile }: KeepalivedPaths): ProcessId | undefined {
  const pid = Number(readText(pidFile).trim());
  if (!Number.isInteger(pid) || pid <= 1) return undefined;
  const found = readProcess(pid);
  const argv = readText(`/proc/${pid}/cmdline`).split('\0');
  return found !== undefined && found.state !== 'Z' && argv.includes(pidFile) ? found.id : undefined;
}
