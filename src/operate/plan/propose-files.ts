import { join } from 'node:path';
import { messageOf } from '../../engine/system/errors.ts';
import { readText } from '../../engine/system/file/read-text.ts';
import type { SupervisorStatus } from '../../haproxy/supervise/supervisor-status.ts';
import type { VrrpStatus } from '../../keepalived/supervise/vrrp-status.ts';
import type { DaemonSettings } from './daemon-settings.ts';
import type { Daemon, DaemonName } from './daemons.ts';
import { type FileQuestion, proposeHaproxyFile } from './haproxy-file.ts';
import { type ProposedKeepalivedFile, proposeKeepalivedFile } from './keepalived-file.ts';
import { haproxyStatus, keepalivedStatus, type StatusReading } from './node-now.ts';
import { type ProposedFile, unknownFile } from './proposed-file.ts';

/** Everything found out about the programs of this node. */
export interface Found {
  readonly haproxy: ProposedFile | undefined;
  readonly keepalived: ProposedKeepalivedFile | undefined;
  readonly files: readonly ProposedFile[];
  readonly haproxyStatus: SupervisorStatus | undefined;
  readonly keepalivedStatus: VrrpStatus | undefined;
  /** The configuration that keepalived runs on: its supervisor's copy, else the file. */
  readonly runningKeepalived: string | undefined;
  readonly notes: readonly string[];
  /** What could not be examined. */
  readonly unknowns: readonly string[];
}

export interface PlanInput {
  readonly daemons: readonly Daemon[];
  readonly before: DaemonSettings;
  readonly after: DaemonSettings;
  readonly timeoutMs: number;
}

/** Asks the supervisors, renders what the monitors would render, and has it checked. Never rejects. */
export async function proposeFiles(input: PlanInput): Promise<Found> {
  const notes: string[] = [];
  const unknowns: string[] = [];
  const daemon = (name: DaemonName) => input.daemons.find((each) => each.name === name);
  const [haproxy, keepalived] = await Promise.all([
    lookAt(input, 'haproxy', haproxyStatus),
    lookAt(input, 'keepalived', keepalivedStatus),
  ]);
  const statusOf = <T>(what: string, look: StatusReading<T> | undefined): T | undefined => {
    if (look?.kind === 'silent') unknowns.push(`the supervisor of ${what} does not answer: ${look.reason}`);
    return look?.kind === 'answered' ? look.status : undefined;
  };
  const haproxyNow = statusOf('haproxy', haproxy);
  const keepalivedNow = statusOf('keepalived', keepalived);
  const shared = { timeoutMs: input.timeoutMs, note: (text: string) => notes.push(text) };
  const question = <S>(
    name: DaemonName,
    settings: S | undefined,
    livePath: string | undefined,
    servedSha256: string | undefined,
  ): FileQuestion<S> | undefined => {
    const asked = daemon(name);
    if (asked === undefined || settings === undefined || livePath === undefined) return undefined;
    return { ...shared, daemon: asked, settings, livePath, servedSha256 };
  };
  const ofHaproxy = question(
    'haproxy monitor',
    input.after['haproxy monitor'],
    input.before['haproxy monitor']?.config,
    haproxyNow?.current?.configSha256,
  );
  const ofKeepalived = question(
    'keepalived monitor',
    input.after['keepalived monitor'],
    input.before['keepalived monitor']?.config,
    keepalivedNow?.current?.configSha256,
  );
  const [haproxyFile, keepalivedFile] = await Promise.all([
    ofHaproxy && proposeHaproxyFile(ofHaproxy).catch((error) => failed('haproxy', ofHaproxy, error)),
    ofKeepalived &&
      proposeKeepalivedFile(ofKeepalived).catch((error) => ({
        ...failed('keepalived', ofKeepalived, error),
        isAlone: undefined,
      })),
  ]);
  return {
    haproxy: haproxyFile,
    keepalived: keepalivedFile,
    files: [haproxyFile, keepalivedFile].filter((file) => file !== undefined),
    haproxyStatus: haproxyNow,
    keepalivedStatus: keepalivedNow,
    runningKeepalived: (await runningKeepalived(input)) ?? keepalivedFile?.before,
    notes,
    unknowns,
  };
}

function failed(
  program: ProposedFile['program'],
  { livePath }: { readonly livePath: string },
  error: unknown,
): ProposedFile {
  return unknownFile({ program, path: livePath, before: undefined }, messageOf(error));
}

/** Undefined if neither of the pod's daemons is installed. */
async function lookAt<Status>(
  { daemons, before, timeoutMs }: PlanInput,
  program: 'haproxy' | 'keepalived',
  ask: (socket: string, timeoutMs: number) => Promise<StatusReading<Status>>,
): Promise<StatusReading<Status> | undefined> {
  const supervisor = daemons.find(({ name }) => name === `${program} supervise`);
  const socket = before[`${program} supervise`]?.socket;
  if (supervisor !== undefined && socket !== undefined)
    return await ask(await supervisor.locate(socket), timeoutMs);
  const isHere = daemons.some(({ name }) => name === `${program} monitor`);
  return isHere ? { kind: 'silent', reason: 'it does not run here' } : undefined;
}

async function runningKeepalived({ daemons, before }: PlanInput): Promise<string | undefined> {
  const daemon = daemons.find(({ name }) => name === 'keepalived supervise');
  const runDir = before['keepalived supervise']?.runDir;
  return daemon && runDir
    ? readText(await daemon.locate(join(runDir, 'keepalived.accepted.conf'))) || undefined
    : undefined;
}
