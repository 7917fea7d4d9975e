import {
  type Check,
  type Finding,
  ok,
  skip,
  unknown,
  unlessUnseen,
  warn,
} from '../../../engine/examine/check.ts';
import type { HostFiles } from '../../../engine/examine/host-files.ts';
import { isSupervisedKeepalived } from '../../../engine/examine/host-processes.ts';
import type { VipContext } from '../context.ts';

/** How the kernel schedules keepalived, as /proc and its cgroup say. */
interface SchedulingReading {
  /** `policy` of sched(7): 1 FIFO and 2 RR are real time. */
  readonly policy: number;
  readonly priority: number;
  /** It has SYS_NICE. */
  readonly mayRaise: boolean;
  /** The real-time budget of its cgroup in each period; undefined if it is not divided among cgroups. */
  readonly realtimeUs: number | undefined;
}

const REALTIME: readonly number[] = [1, 2];

function judgeScheduling({ policy, priority, mayRaise, realtimeUs }: SchedulingReading): Finding {
  if (REALTIME.includes(policy)) return ok(`keepalived runs at real-time priority ${priority}`);
  const found = 'keepalived runs at no real-time priority';
  const instead = 'else give the container keepalived a higher cpu request';
  if (!mayRaise)
    return warn(
      `${found}: its container has no SYS_NICE`,
      `add SYS_NICE as manifests/keepalived.yaml has it; ${instead}`,
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

const scheduling: Check<VipContext> = {
  id: 'keepalived-priority',
  title: "keepalived's priority",
  why: 'Without a real-time priority other load delays adverts, and the VIP leaves a healthy node.',
  run: async (context) => {
    const { files, readings } = context;
    const found = (await readings.processes()).filter(isSupervisedKeepalived);
    // The second is the child that speaks VRRP; both are scheduled alike.
    const running = found.at(-1);
    if (running === undefined) return await unlessUnseen(context, skip('no keepalived of hawser runs here'));
    const look = await lookAtScheduling(files, running.pid);
    return look === undefined
      ? unknown(`/proc/${running.pid} cannot be read`, `chrt -p ${running.pid}`)
      : judgeScheduling(look);
  },
};

async function lookAtScheduling(files: HostFiles, pid: number): Promise<SchedulingReading | undefined> {
  const [stat, status, cgroup] = await Promise.all(
    ['stat', 'status', 'cgroup'].map((name) => files.value(`/proc/${pid}/${name}`)),
  );
  // From the third field on, behind the name, which may have blanks: the priority is the 40th, the policy the 41st.
  const fields = stat?.slice(stat.lastIndexOf(')') + 2).split(' ') ?? [];
  const [, capabilities] = /^CapEff:\t([0-9a-f]+)$/m.exec(status ?? '') ?? [];
  if (fields[38] === undefined || capabilities === undefined) return undefined;
  const [, path] = /^\d+:(?:[^:]*,)?cpu(?:,[^:]*)?:(.*)$/m.exec(cgroup ?? '') ?? [];
  const realtime = path && (await files.value(`/sys/fs/cgroup/cpu${path}/cpu.rt_runtime_us`));
  return {
    policy: Number(fields[38]),
    priority: Number(fields[37]),
    mayRaise: ((BigInt(`0x${capabilities}`) >> SYS_NICE) & 1n) === 1n,
    realtimeUs: realtime ? Number(realtime) : undefined,
  };
}

export const schedulingChecks: readonly Check<VipContext>[] = [scheduling];
