import { createHash } from 'node:crypto';
import type { Answer } from '../control/answer.ts';
import type { SupervisorReading } from './ask-program.ts';
import {
  type Check,
  checkOf,
  type Finding,
  fail,
  moreRights,
  ok,
  read,
  skip,
  unknown,
  warn,
} from './check.ts';
import type { NodeContext } from './context.ts';
import type { FileReading } from './host-files.ts';

/** A program with a hawser supervisor. */
export interface LiveProgram<Context> {
  readonly name: string;
  /** Undefined for an answer that is not the supervisor's status. */
  readonly runningOf: (answer: Answer) => Running | undefined;
  readonly supervisor: (context: Context) => Promise<SupervisorReading>;
  /** Path of the program's configuration. */
  readonly config: (context: Context) => string;
}

/** The part of a program that its judges use, which is independent of the context. */
type JudgedProgram = Pick<LiveProgram<never>, 'name' | 'runningOf'>;

/** Status fields of every supervisor. */
export interface Running {
  readonly phase: string;
  readonly current: { readonly pid: number; readonly configSha256: string; readonly note: string } | null;
  readonly failure: string | undefined;
}

interface SupervisorFacts {
  readonly reading: SupervisorReading;
  readonly isInstalled: boolean;
  /** Whether the kubelet created its pod; undefined if unknown. */
  readonly hasPod: boolean | undefined;
  readonly areProcessesSeen: boolean;
}

function judgeSupervisor(
  live: JudgedProgram,
  { reading, isInstalled, hasPod, areProcessesSeen }: SupervisorFacts,
): Finding {
  const program = live.name;
  const logs = `crictl logs $(crictl ps -a -q --name '^${program}$' | head -1)`;
  if (reading.kind === 'absent') {
    if (!isInstalled) return skip('it is not installed here');
    if (!areProcessesSeen)
      return unknown(`${program} is installed, but the node's processes are not visible`, moreRights);
    return hasPod === false
      ? fail(
          `the kubelet runs no pod for the manifest of ${program}`,
          `journalctl -u kubelet | grep ${program}`,
        )
      : fail(
          `the manifest of ${program} exists, but no supervisor runs`,
          `crictl ps -a; ${logs}; if there is no such container: journalctl -u kubelet | grep ${program}`,
        );
  }
  if (reading.kind === 'unreachable')
    return /EACCES|EPERM/.test(reading.message)
      ? unknown(reading.message, moreRights)
      : fail(`nothing answers: ${reading.message}`, `${logs}; the kubelet restarts it`);
  return judgeAnswer(live, reading.answer, logs);
}

function judgeAnswer({ name: program, runningOf }: JudgedProgram, answer: Answer, logs: string): Finding {
  const command = `hawser ${program} status`;
  const running = runningOf(answer);
  if (running === undefined) return fail('the supervisor does not answer with its status', logs);
  const { phase, current, failure } = running;
  if (current === null)
    return fail(
      `${program} does not run: ${phase}${failure === undefined ? '' : `; ${failure}`}`,
      `${command}; ${logs}`,
    );
  const found = `${phase}, pid ${current.pid}${current.note}`;
  return current.note.includes('last good')
    ? warn(found, `${command} says why; correct the file or the template`)
    : ok(found);
}

interface ConfigFacts {
  readonly path: string;
  readonly disk: FileReading;
  readonly reading: SupervisorReading;
}

/** Compares the file on disk with the configuration that the program runs. */
function judgeConfig(
  { name: program, runningOf }: JudgedProgram,
  { path, disk, reading }: ConfigFacts,
): Finding {
  if (reading.kind === 'unreachable')
    return unknown(
      `its supervisor does not report the running configuration: ${reading.message}`,
      `see check ${program}-supervisor`,
    );
  if (reading.kind === 'absent') return skip('no supervisor of hawser answers here');
  const running = runningOf(reading.answer)?.current?.configSha256;
  if (running === undefined) return skip(`${program} does not run`);
  if (disk.kind === 'unreadable') return unknown(disk.reason, moreRights);
  if (disk.kind === 'missing')
    return fail(
      `${path} is missing, and ${program} runs on its former content`,
      `start ${program}-monitor, which restores it`,
    );
  const onDisk = createHash('sha256').update(disk.text).digest('hex');
  if (onDisk === running) return ok(`${path} is the running configuration (sha256 ${onDisk.slice(0, 12)})`);
  return fail(
    `${path} (sha256 ${onDisk.slice(0, 12)}) is not the running configuration (${running.slice(0, 12)})`,
    `hawser ${program} reload loads it or prints why not; the monitor reverts manual edits`,
  );
}

/** The check of the supervisor itself. */
export function supervisorCheck<Context extends NodeContext>(
  live: LiveProgram<Context>,
  why: string,
): Check<Context> {
  const { name } = live;
  const here = async (context: Context) => {
    const { files, settings, readings } = context;
    const manifest = await files.value(`${settings.manifests}/${name}.yaml`);
    return read({
      reading: await live.supervisor(context),
      isInstalled: /\bhawser\b/.test(manifest ?? ''),
      hasPod: await hasPodOf(name, files),
      areProcessesSeen: await readings.areProcessesSeen(),
    });
  };
  return checkOf({
    id: `${name}-supervisor`,
    title: `The ${name} supervisor`,
    why,
    needs: { here },
    unlessUnseen: ['skip'],
    judge: (facts) => judgeSupervisor(live, facts.here),
  });
}

/** The kubelet creates a log folder for each pod that the container runtime runs, and removes it with the pod. */
async function hasPodOf(program: string, files: NodeContext['files']): Promise<boolean | undefined> {
  const folder = '/var/log/pods';
  if (!(await files.isFolder(folder))) return undefined;
  return (await files.list(folder)).some((name) => name.startsWith(`kube-system_${program}-`));
}

/** The check of the running configuration. */
export function configCheck<Context extends NodeContext>(
  live: LiveProgram<Context>,
  why: string,
): Check<Context> {
  const here = async (context: Context) => {
    const path = live.config(context);
    return read({ path, disk: await context.files.read(path), reading: await live.supervisor(context) });
  };
  return checkOf({
    id: `${live.name}-config`,
    title: `${live.name}'s configuration`,
    why,
    needs: { here },
    unlessUnseen: ['skip'],
    judge: (facts) => judgeConfig(live, facts.here),
  });
}
