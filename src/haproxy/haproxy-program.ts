import { readdirSync, realpathSync, rmSync } from 'node:fs';
import { readdir, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { CheckOutcome, ConfigurationCheck } from '../engine/config/check.ts';
import { filesFolder } from '../engine/config/layout.ts';
import { findLiveFile } from '../engine/config/live-file.ts';
import { messageOf } from '../engine/system/errors.ts';
import { nameBehind, writeFileAtomically } from '../engine/system/file/atomic-write.ts';
import { replaceFile } from '../engine/system/file/replace-file.ts';
import { type ProcessId, readProcess } from '../engine/system/process/processes.ts';
import { runLeanCommand } from '../engine/system/process/run-lean-command.ts';
import { spawnDaemon } from '../engine/system/process/spawn-daemon.ts';
import { type HaproxyPaths, masterArgv } from './argv.ts';
import { askMaster, askWorker } from './ask-worker.ts';
import { createConfigurationCheck, runInBackground } from './check-configuration.ts';
import { createDriftSearch, createFileHash, isLarge, readSetFiles } from './find-drift.ts';
import { findRunning, listensAlone } from './find-running.ts';
import { generationSocket, generationSockets } from './generation-sockets.ts';
import { LEAVING_VARIABLE } from './leaving-variable.ts';
import { createLostServers } from './lost-servers.ts';
import {
  clientSessions,
  infoNumber,
  masterPid,
  repliesIn,
  requestsIn,
  type Session,
} from './parse-replies.ts';
import type { ConfigChoice, ProxyDriver, StartOutcome, StartRequest } from './program.ts';
import { proveServing } from './prove.ts';
import { readConfiguration } from './read-configuration.ts';
import { createRuntime } from './runtime/execute.ts';
import type { Running } from './runtime/line.ts';
import { askRuntimeApi } from './runtime-api.ts';
import { stateForTracking } from './state-for-tracking.ts';

/** A check of a large file takes well under a second. A hung check must not hang the supervisor. */
const CHECK_TIMEOUT_MS = 30_000;
/** A loaded machine takes seconds for 40 ms of work. The monitor waits for two of these checks. */
const CANDIDATE_TIMEOUT_MS = 20_000;
/** HAProxy answers its sockets from its event loop. If it needs longer, it is not healthy. */
const ASK_TIMEOUT_MS = 1_000;
/** A late change by a starved HAProxy is still faster than a reload. A hung HAProxy is replaced meanwhile. */
const CHANGE_TIMEOUT_MS = 5_000;
/** Limit for how long a removed server stays in HAProxy, where it uses memory. */
const MOST_FINISH_MS = 10 * 60_000;
/** Longer than a worker may be busy or starved: the request stays pending until then. */
const HANGS_FOR_MS = 600_000;
/** A state file with only the format's version: every server starts with HAProxy's defaults. */
const NO_STATE = '1\n';
/** The directive, in any section, without which HAProxy loads no server state. It may name another file than the supervisor's. */
const LOADS_STATE = 'load-server-state-from-file';

/** HAProxy's variables can be set from outside only in experimental mode. */
const GIVE_NOTICE = `experimental-mode on; @1 set var ${LEAVING_VARIABLE} bool(true)`;

interface ProgramSettings extends HaproxyPaths {
  /** How long pending work of a generation or a server may take, in milliseconds. */
  readonly forceDeleteTimeout: number;
}

/** HAProxy as the supervisor's driver. Each generation has its own master socket next to the stats socket. */
export function createHaproxyProgram(paths: ProgramSettings): ProxyDriver {
  const runDir = dirname(paths.statsSocket);
  const lastGood = join(runDir, 'haproxy.last-good.cfg');
  const fileOf = (config: ConfigChoice): string => (config === 'live' ? paths.config : lastGood);
  const masterSocket = (generation: number): string => generationSocket(runDir, generation);
  const askHaproxy = createConfigurationCheck({
    haproxyPath: paths.haproxy,
    timeoutMs: CHECK_TIMEOUT_MS,
    run: runLeanCommand,
  });
  const askAll = (running: Running, commands: readonly string[], withinMs = ASK_TIMEOUT_MS) =>
    askWorker(masterSocket(running.generation), running, commands, withinMs);

  const endSome = async (
    running: Running,
    choose: (sessions: readonly Session[]) => readonly Session[],
  ): Promise<number> => {
    const ending = choose(clientSessions((await askAll(running, ['show sess'])) ?? ''));
    // One by one, by id: a draining worker's proxies are stopped, so it refuses "shutdown sessions server".
    if (ending.length > 0)
      await askAll(
        running,
        ending.map(({ id }) => `shutdown session ${id}`),
      );
    return ending.length;
  };

  const runtime = createRuntime({
    ask: (running, command) => askAll(running, [command], CHANGE_TIMEOUT_MS),
    askEach: async (running, commands) =>
      repliesIn((await askAll(running, commands, CHANGE_TIMEOUT_MS)) ?? '', commands.length),
    finishMs: Math.min(paths.forceDeleteTimeout, MOST_FINISH_MS),
    readSetFile: readSetFiles(paths.config),
  });

  return {
    change: runtime.change,
    drift: createDriftSearch(paths.config, runtime),
    missingCommands: runtime.missingCommands,
    hasConfiguration: async () => readConfiguration(paths.config).kind === 'present',
    hasLastGood: async () => readConfiguration(lastGood).kind === 'present',
    check: (config) => check(askHaproxy, fileOf(config)),
    checkCandidate: () => checkCandidate(paths),
    saveState: () => saveState(paths),
    start: (request) => start(paths, fileOf(request.config), masterSocket(request.generation), request),
    prove: (running, signal) => proveServing(paths.statsSocket, running.master, signal),
    keepLastGood: (revision) => keepLastGood(paths.config, lastGood, revision),
    fileSha256: createFileHash(paths.config),
    findRunning: () => findRunning(paths.statsSocket),
    listensAlone: () => listensAlone(paths.statsSocket),
    findMaster: (generation) => findMaster(masterSocket(generation)),
    answers: async ({ generation }) =>
      void (await askRuntimeApi(masterSocket(generation), '@1 show version', HANGS_FOR_MS)),
    describeServing: () => askRuntimeApi(paths.statsSocket, 'show info', ASK_TIMEOUT_MS),
    countSessions: async (running, withinMs) => {
      const info = await askAll(running, ['show info'], withinMs);
      return info === undefined ? undefined : infoNumber(info, 'CurrConns');
    },
    countRequests: async (running) => requestsIn((await askAll(running, ['show sess'])) ?? ''),
    endSessions: (running, share) =>
      endSome(running, (sessions) => sessions.slice(0, Math.round(sessions.length * share))),
    endSessionsOfLostServers: createLostServers(askAll, endSome),
    serverStatistics: async (running) =>
      isLarge(paths.config) ? undefined : await askAll(running, ['show stat -1 4 -1']),
    // "stopping": one successful check brings the server back at once, and two failed ones mark it down.
    setAside: async (running, server) => {
      const reply = await askAll(running, [`set server ${server} health stopping`]);
      return reply === undefined ? 'HAProxy does not answer' : reply.trim() || undefined;
    },
    giveNotice: async (running, config) => {
      const configuration = readConfiguration(fileOf(config));
      if (configuration.kind === 'unusable' || !configuration.bytes.includes(LEAVING_VARIABLE)) return false;
      const socket = masterSocket(running.generation);
      return (await askMaster(socket, running, GIVE_NOTICE, ASK_TIMEOUT_MS))?.trim() === '';
    },
    cleanUpAllBut: (generations) => removeLeftOvers(runDir, new Set(generations.map(masterSocket))),
    cleanUp: (generation) => rm(masterSocket(generation), { force: true }).catch(() => undefined),
  };
}

async function check(ask: ConfigurationCheck, config: string): Promise<CheckOutcome> {
  const configuration = readConfiguration(config);
  if (configuration.kind === 'unusable')
    return { kind: 'invalid', message: configuration.message, detail: '' };
  return await ask(config);
}

/** Accepts no path from a client: validates only the candidate next to this supervisor's configuration. */
async function checkCandidate({ haproxy: haproxyPath, config }: HaproxyPaths): Promise<CheckOutcome> {
  try {
    const { candidate } = await findLiveFile(config);
    const configuration = readConfiguration(candidate);
    if (configuration.kind === 'unusable') return { kind: 'impossible', message: configuration.message };
    return await createConfigurationCheck({
      haproxyPath,
      timeoutMs: CANDIDATE_TIMEOUT_MS,
      run: runInBackground,
    })(candidate);
  } catch (error) {
    return { kind: 'impossible', message: `Cannot check the candidate of "${config}": ${messageOf(error)}` };
  }
}

/** Saving takes seconds for thousands of servers, so nothing is saved if the next generation does not load it. */
async function saveState(paths: HaproxyPaths): Promise<void> {
  const next = readConfiguration(paths.config);
  if (next.kind === 'unusable' || ![LOADS_STATE, paths.stateFile].every((it) => next.bytes.includes(it)))
    return;
  const configuration = next.bytes.toString('utf8');
  const state = await askRuntimeApi(paths.statsSocket, 'show servers state', ASK_TIMEOUT_MS);
  const saved = state?.startsWith('1\n') === true;
  const kept = saved ? stateForTracking(configuration, state) : NO_STATE;
  writeState(paths.stateFile, kept);
}

/** Without a generation to take over from, an older state is no longer valid: servers may have recovered. */
function start(
  paths: HaproxyPaths,
  config: string,
  masterSocket: string,
  request: StartRequest,
): StartOutcome {
  const configuration = readConfiguration(config);
  if (configuration.kind === 'unusable') return { kind: 'failed', message: configuration.message };
  if (!request.takeOver) writeState(paths.stateFile, NO_STATE);
  const spawned = spawnDaemon(masterArgv(paths, config, { masterSocket, takeOver: request.takeOver }));
  if (spawned.kind === 'failed') return spawned;
  const { sha256: configSha256, revision, bytes } = configuration;
  const size = { configBytes: bytes.length, setFiles: countSetFiles(paths.config) };
  const { id: master, exited } = spawned;
  return { kind: 'started', master, exited, configSha256, revision, ...size };
}

/** The number of files next to the main file, one folder deep. 0 if there are none. Must be fast, because a start waits for its proof. */
function countSetFiles(config: string): number {
  try {
    const folder = filesFolder(realpathSync(config));
    const entries = readdirSync(folder, { withFileTypes: true });
    const counts = entries.map((each) =>
      each.isDirectory() ? readdirSync(join(folder, each.name)).length : 1,
    );
    return counts.reduce((sum, count) => sum + count, 0);
  } catch {
    return 0;
  }
}

/** If the state cannot be written, none is left: an earlier one may be wrong by now. HAProxy starts without the file too, and reports that itself. */
function writeState(stateFile: string, state: string): void {
  try {
    rmSync(stateFile, { force: true });
    // Not written in place, because HAProxy's user can create a link or a FIFO at the path.
    replaceFile(stateFile, state, 0o600);
  } catch {}
}

async function keepLastGood(config: string, lastGood: string, revision: string): Promise<boolean> {
  const isThere = (): boolean => readConfiguration(lastGood).kind === 'present';
  for (const path of [config, `${config}.last-good`]) {
    const found = readConfiguration(path);
    if (found.kind === 'unusable' || found.revision !== revision) continue;
    return await writeFileAtomically(lastGood, found.bytes, { mode: 0o600 }).then(() => true, isThere);
  }
  return isThere();
}

async function findMaster(masterSocket: string): Promise<ProcessId | undefined> {
  const proc = await askRuntimeApi(masterSocket, 'show proc', ASK_TIMEOUT_MS);
  const pid = proc === undefined ? undefined : masterPid(proc);
  return pid === undefined ? undefined : readProcess(pid)?.id;
}

/** A killed supervisor leaves the socket of an ended generation, or a partly written copy. */
async function removeLeftOvers(runDir: string, keep: ReadonlySet<string>): Promise<void> {
  const sockets = await generationSockets(runDir);
  const names = await readdir(runDir).catch(() => []);
  const copies = names.filter((name) => nameBehind(name) === 'haproxy.last-good.cfg');
  const left = [...sockets.filter((path) => !keep.has(path)), ...copies.map((name) => join(runDir, name))];
  await Promise.all(left.map((path) => rm(path, { force: true }).catch(() => undefined)));
}
