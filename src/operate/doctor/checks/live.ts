import { createHash } from 'node:crypto';
import type { Answer } from '../../../engine/control/answer.ts';
import type { RequestOutcome } from '../../../engine/control/request.ts';
import { supervisorStatusSchema } from '../../../haproxy/supervise/supervisor-status.ts';
import { vrrpStatusSchema } from '../../../keepalived/supervise/vrrp-status.ts';
import {
  type Check,
  type Finding,
  fail,
  moreRights,
  ok,
  skip,
  unknown,
  unlessUnseen,
  warn,
} from '../check.ts';
import type { DoctorContext } from '../context.ts';
import type { FileReading } from '../host-files.ts';
import type { SupervisorReading } from '../look/supervisor.ts';

type Program = 'haproxy' | 'keepalived';

/** The status fields that both supervisors have. */
interface Running {
  readonly phase: string;
  readonly current: { readonly pid: number; readonly configSha256: string; readonly note: string } | null;
  readonly failure: string | undefined;
}

function runningOf(program: Program, answer: Answer): Running | undefined {
  if (program === 'haproxy') {
    const { data } = supervisorStatusSchema.safeParse(answer);
    if (data === undefined) return undefined;
    const note = data.current?.config === 'last-good' ? ', on the last good copy of its configuration' : '';
    return {
      phase: data.phase,
      current: data.current && { ...data.current, note },
      failure: data.lastFailure?.message,
    };
  }
  const { data } = vrrpStatusSchema.safeParse(answer);
  if (data === undefined) return undefined;
  const states = data.instances.map(({ name, state }) => `${name} ${state}`).join(', ');
  const note = states === '' ? '' : ` (${states})`;
  return {
    phase: data.phase,
    current: data.current && { ...data.current, note },
    failure: data.lastFailure?.message,
  };
}

export function judgeSupervisor(program: Program, look: SupervisorReading, isInstalled: boolean): Finding {
  const logs = `crictl logs $(crictl ps -a -q --name '^${program}$' | head -1)`;
  if (look.kind === 'absent')
    return isInstalled
      ? fail(`the manifest of ${program} is here, and no supervisor runs`, `crictl ps -a; ${logs}`)
      : skip('it is not installed here');
  if (look.kind === 'unreachable')
    return /EACCES|EPERM/.test(look.message)
      ? unknown(look.message, moreRights)
      : fail(`nothing answers: ${look.message}`, `${logs}; the kubelet restarts it`);
  return judgeOutcome(program, look.outcome, logs);
}

function judgeOutcome(program: Program, outcome: RequestOutcome, logs: string): Finding {
  if (outcome.kind === 'unacknowledged')
    return warn(
      'the socket takes requests and answers none: the shell daemon, or a supervisor that hangs',
      logs,
    );
  const running = outcome.kind === 'answered' ? runningOf(program, outcome.answer) : undefined;
  if (running === undefined) return fail('the supervisor answers something else than its status', logs);
  const { phase, current, failure } = running;
  if (current === null)
    return fail(
      `${program} does not run: ${phase}${failure === undefined ? '' : `; ${failure}`}`,
      `hawser ${program} status; ${logs}`,
    );
  const found = `${phase}, pid ${current.pid}${current.note}`;
  return current.note.includes('last good')
    ? warn(found, `hawser ${program} status says why; correct the file or the template`)
    : ok(found);
}

/** The file on disk against the bytes that the running program was started on. */
export function judgeConfig(
  program: Program,
  path: string,
  disk: FileReading,
  look: SupervisorReading,
): Finding {
  if (look.kind === 'unreachable')
    return unknown(
      `its supervisor does not say what runs: ${look.message}`,
      `see check ${program}-supervisor`,
    );
  if (look.kind === 'absent' || look.outcome.kind !== 'answered')
    return skip('no supervisor of hawser answers here');
  const running = runningOf(program, look.outcome.answer)?.current?.configSha256;
  if (running === undefined) return skip(`${program} does not run`);
  if (disk.kind === 'unreadable') return unknown(disk.reason, moreRights);
  if (disk.kind === 'missing')
    return fail(
      `${path} is not there, and ${program} runs on what it was`,
      `start ${program}-monitor, which writes it again`,
    );
  const onDisk = createHash('sha256').update(disk.text).digest('hex');
  if (onDisk === running) return ok(`${path} is what runs (sha256 ${onDisk.slice(0, 12)})`);
  return fail(
    `${path} (sha256 ${onDisk.slice(0, 12)}) is not what runs (${running.slice(0, 12)})`,
    `hawser ${program} reload takes it over or says why not; the monitor puts back what was edited by hand`,
  );
}

function supervisorCheck(program: Program, id: string, why: string): Check {
  return {
    id,
    title: `The ${program} supervisor`,
    why,
    run: async (context) => {
      const look = await lookOf(program, context);
      const { files, settings } = context;
      const manifest = await files.value(`${settings.manifests}/${program}.yaml`);
      const finding = judgeSupervisor(program, look, /\bhawser\b/.test(manifest ?? ''));
      if (look.kind !== 'absent') return finding;
      if (finding.kind === 'fail' && !(await context.readings.areProcessesSeen()))
        return unknown(`${program} is installed, and this process sees none of the node`, moreRights);
      return await unlessUnseen(context, finding);
    },
  };
}

function configCheck(program: Program, id: string, why: string): Check {
  return {
    id,
    title: `${program}'s configuration`,
    why,
    run: async (context) => {
      const { files, settings } = context;
      const path = program === 'haproxy' ? settings.haproxyConfig : settings.keepalivedConfig;
      const look = await lookOf(program, context);
      const finding = judgeConfig(program, path, await files.read(path), look);
      return look.kind === 'absent' ? await unlessUnseen(context, finding) : finding;
    },
  };
}

async function lookOf(program: Program, { readings }: DoctorContext): Promise<SupervisorReading> {
  return await (program === 'haproxy' ? readings.haproxySupervisor() : readings.keepalivedSupervisor());
}

export const liveChecks: readonly Check[] = [
  supervisorCheck(
    'haproxy',
    'haproxy-supervisor',
    'It starts, proves and restarts HAProxy; without it a dead HAProxy stays dead.',
  ),
  configCheck(
    'haproxy',
    'haproxy-config',
    'A file that is not what runs is a change that did not arrive, or one that the next reload brings.',
  ),
  supervisorCheck(
    'keepalived',
    'keepalived-supervisor',
    'It starts keepalived and removes what a killed one leaves; without it a VIP may stay on two nodes.',
  ),
  configCheck(
    'keepalived',
    'keepalived-config',
    'Nodes with different lists of peers are groups of their own, each with a holder.',
  ),
];
