import { dirname } from 'node:path';
import type { Answer } from '../../engine/control/answer.ts';
import {
  type Check,
  checkOf,
  type FactReader,
  type Finding,
  fail,
  moreRights,
  ok,
  read,
  skip,
  unknown,
  warn,
} from '../../engine/examine/check.ts';
import type { FileReading } from '../../engine/examine/host-files.ts';
import { configCheck, type LiveProgram, type Running, supervisorCheck } from '../../engine/examine/live.ts';
import { notRun, type ProgramOutcome } from '../../engine/examine/run-program.ts';
import { OLDEST_KEEPALIVED, parseKeepalivedBuild } from '../../keepalived/build.ts';
import { vrrpStatusSchema } from '../../keepalived/supervise/vrrp-status.ts';
import { parseOrder } from '../orders/order-file.ts';
import type { VipOrder } from '../orders/vip-order.ts';
import type { VipContext } from './context.ts';
import { isSupervisedKeepalived } from './other-software.ts';

function runningOf(answer: Answer): Running | undefined {
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

const live: LiveProgram<VipContext> = {
  name: 'keepalived',
  runningOf,
  supervisor: ({ settings, readings }) => readings.supervisor('keepalived', settings.keepalivedSocket),
  config: ({ settings }) => settings.keepalivedConfig,
};

export const supervisor = supervisorCheck(
  live,
  'It starts keepalived and removes what a killed one leaves behind; without it a VIP may stay on two nodes.',
);

export const config = configCheck(
  live,
  'Nodes with different lists of peers form separate groups, each with a holder.',
);

/** Reads both streams, because 2.2.7 of Debian prints its version on stderr. */
function judgeKeepalived(outcome: ProgramOutcome): Finding {
  if (outcome.kind !== 'ran') return notRun(outcome, '--keepalived');
  const build = parseKeepalivedBuild(`${outcome.stdout}${outcome.stderr}`);
  if (build === undefined)
    return unknown(
      'keepalived --version prints no version',
      'keepalived --version; or set the path: --keepalived PATH',
    );
  const { version } = build;
  if (!build.supported)
    return fail(
      `keepalived is ${version}, expected ${OLDEST_KEEPALIVED} or newer`,
      'apt-get install keepalived (Debian 12 has 2.2.7), or use the image of hawser',
    );
  return build.vrrp
    ? ok(`keepalived ${version}, with VRRP`)
    : fail(
        `keepalived ${version} is built without VRRP`,
        'use a build with VRRP (configure without --disable-vrrp)',
      );
}

export const program: Check<VipContext> = checkOf({
  id: 'keepalived-program',
  title: 'The keepalived program',
  why: 'Track files that set FAULT at once and safe reloads need keepalived 2.2.7.',
  needs: {
    version: async ({ run, settings, signal }: VipContext) =>
      read(await run([settings.keepalived, '--version'], signal)),
  },
  judge: ({ version }) => judgeKeepalived(version),
});

/** How the kernel schedules keepalived, from /proc and the cgroup. */
interface SchedulingReading {
  /** `policy` of sched(7): 1 FIFO and 2 RR are real time. */
  readonly policy: number;
  readonly priority: number;
  /** keepalived has CAP_SYS_NICE. */
  readonly mayRaise: boolean;
  /** The real-time budget of its cgroup per period; undefined if the kernel does not divide real time among cgroups. */
  readonly realtimeUs: number | undefined;
}

const REALTIME: readonly number[] = [1, 2];

function judgeScheduling({ policy, priority, mayRaise, realtimeUs }: SchedulingReading): Finding {
  if (REALTIME.includes(policy)) return ok(`keepalived runs at real-time priority ${priority}`);
  const found = 'keepalived does not have a real-time priority';
  const instead = 'else give the container keepalived a higher cpu request';
  if (!mayRaise)
    return warn(
      `${found}: its container has no SYS_NICE`,
      `add SYS_NICE as in manifests/keepalived.yaml; ${instead}`,
    );
  if (realtimeUs === 0)
    return warn(
      `${found}: this kernel divides real time among cgroups (cpu.rt_runtime_us), and its cgroup has none`,
      `boot with cgroups of version 2 (systemd.unified_cgroup_hierarchy=1); ${instead}`,
    );
  return warn(
    found,
    `look for --realtime-priority off in its settings, and for "no-realtime-priority" in its log; ${instead}`,
  );
}

const SYS_NICE = 23n;

const scheduled: FactReader<VipContext, SchedulingReading> = async ({ files, readings }) => {
  // The last process is the child that speaks VRRP. The parent has the same scheduling.
  const running = (await readings.processes()).filter(isSupervisedKeepalived).at(-1);
  if (running === undefined) return skip('no keepalived of hawser runs here');
  const [stat, status, cgroup] = await Promise.all(
    ['stat', 'status', 'cgroup'].map((name) => files.value(`/proc/${running.pid}/${name}`)),
  );
  // The fields from the third on, after the name, which may contain blanks. The priority is the 40th field, the policy the 41st.
  const fields = stat?.slice(stat.lastIndexOf(')') + 2).split(' ') ?? [];
  const [, capabilities] = /^CapEff:\t([0-9a-f]+)$/m.exec(status ?? '') ?? [];
  if (fields[38] === undefined || capabilities === undefined)
    return unknown(`/proc/${running.pid} cannot be read`, `chrt -p ${running.pid}`);
  const [, path] = /^\d+:(?:[^:]*,)?cpu(?:,[^:]*)?:(.*)$/m.exec(cgroup ?? '') ?? [];
  const realtime = path && (await files.value(`/sys/fs/cgroup/cpu${path}/cpu.rt_runtime_us`));
  return read({
    policy: Number(fields[38]),
    priority: Number(fields[37]),
    mayRaise: ((BigInt(`0x${capabilities}`) >> SYS_NICE) & 1n) === 1n,
    realtimeUs: realtime ? Number(realtime) : undefined,
  });
};

export const scheduling: Check<VipContext> = checkOf({
  id: 'keepalived-priority',
  title: "keepalived's priority",
  why: 'Without a real-time priority other load delays adverts, and the VIP leaves a healthy node.',
  needs: { scheduled },
  unlessUnseen: ['skip'],
  judge: (facts) => judgeScheduling(facts.scheduled),
});

/** Maintenance of a node usually ends within a day, so an older drain was probably forgotten. */
const FORGOTTEN_AFTER_MS = 24 * 3_600_000;
/** The monitor removes an expired order within a few seconds. */
const LATE_AFTER_MS = 60_000;

function judgeOrder(path: string, file: FileReading, nowMs: number): Finding {
  if (file.kind === 'missing') return ok('not drained, no move in progress');
  if (file.kind === 'unreadable') return unknown(file.reason, moreRights);
  const order = parseOrder(file.text);
  if (typeof order === 'string') return warn(`${path} is ignored: ${order}`, 'hawser undrain removes it');
  return judgeStanding(path, order, nowMs);
}

function judgeStanding(path: string, order: VipOrder, nowMs: number): Finding {
  const { by, why, at } = order;
  const whose = `by ${by} since ${at}${why === '' ? '' : `: ${why}`}`;
  if (order.order === 'drain') {
    const found = `this node is drained (${order.vips.join(', ')}) ${whose}`;
    const isRecent = nowMs - Date.parse(at) < FORGOTTEN_AFTER_MS;
    return isRecent ? ok(found) : warn(found, 'hawser undrain, if the work is done');
  }
  if (nowMs < Date.parse(order.until) + LATE_AFTER_MS) return ok(`a move-vip is in progress ${whose}`);
  return warn(
    `a move-vip ${whose} should be over, but is still in ${path}`,
    "crictl logs $(crictl ps -q --name '^keepalived-monitor$'): it carries orders out",
  );
}

export const steering: Check<VipContext> = checkOf({
  id: 'steering',
  title: 'Orders that move the VIP',
  why: 'A drained node takes the VIP only if no other node can: if forgotten, it is missing at the next failure.',
  needs: {
    order: async ({ files, settings }: VipContext) => {
      const path = `${dirname(settings.keepalivedConfig)}/vrrp-steering.json`;
      return read({ path, file: await files.read(path), nowMs: Date.now() });
    },
  },
  judge: ({ order: { path, file, nowMs } }) => judgeOrder(path, file, nowMs),
});
