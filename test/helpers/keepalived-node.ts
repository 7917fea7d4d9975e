import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod/mini';
import { childrenOf, type ProcessId, readProcess } from '../../src/engine/system/process/processes.ts';
import { type VrrpStatus, vrrpStatusSchema } from '../../src/keepalived/supervise/vrrp-status.ts';
import { endOf, startLogged } from './child.ts';
import { connectSegment, createNetNamespace, type NetNamespace } from './net-namespace.ts';
import { askRaw } from './supervisor-ask.ts';
import { hawser } from './supervisor-build.ts';
import { type LogLine, readLogEvents } from './supervisor-process.ts';
import { waitFor } from './wait-for.ts';

const answerSchema = z.looseObject({ ok: z.boolean() });
export type VrrpAnswer = z.infer<typeof answerSchema>;

export const VIP = '10.77.0.100';

export interface NodePaths {
  readonly dir: string;
  readonly config: string;
  readonly socket: string;
  readonly track: string;
  readonly fifo: string;
  readonly states: string;
  readonly log: string;
}

/** One end of the segment, where a supervisor of ours runs a keepalived. */
export interface VrrpNode {
  readonly namespace: NetNamespace;
  readonly paths: NodePaths;
  /** Replaces the configuration. */
  readonly install: (options?: ConfigurationOptions) => void;
  /** `prefix` goes in front of it, and ends by executing it. */
  readonly supervise: (flags?: readonly string[], prefix?: readonly string[]) => VrrpSupervisorProcess;
  readonly holdsVip: () => Promise<boolean>;
  readonly ip: (...args: readonly string[]) => Promise<string>;
  readonly events: (name: string) => readonly LogLine[];
}

export interface VrrpSupervisorProcess {
  readonly pid: number;
  /** Resolves with the exit code, or with the signal's name. */
  readonly ended: Promise<number | string>;
  readonly kill: (signal: NodeJS.Signals) => void;
  readonly ask: (line: string) => Promise<VrrpAnswer>;
  readonly status: () => Promise<VrrpStatus>;
  readonly waitForState: (state: string) => Promise<Instance>;
  readonly waitForPhase: (phase: VrrpStatus['phase']) => Promise<VrrpStatus>;
}

type Instance = VrrpStatus['instances'][number];

export interface ConfigurationOptions {
  readonly priority?: number;
  readonly trackFile?: boolean;
  /** Without peers keepalived stays in FAULT, and nothing ever happens to it. */
  readonly peers?: boolean;
  /** The only peer, instead of the other node. */
  readonly peer?: string;
  /** How many adverts may be missed before a take-over. */
  readonly downAdverts?: number;
  /** Extra lines for `global_defs`, and for the instance. */
  readonly globals?: string;
  readonly extra?: string;
}

/** keepalived's parent, which the supervisor reports as `pid`, and its VRRP process. */
export function keepalivedProcesses(pid: number | undefined): readonly ProcessId[] {
  const parent = readProcess(pid ?? 0)?.id;
  const children = parent === undefined ? [] : childrenOf(parent);
  if (parent === undefined || children.length === 0)
    throw new Error(`Cannot read keepalived ${pid}: it is gone, expected a parent and a child`);
  return [parent, ...children];
}

/** All at once: a VRRP process that notices its parent's death gives up the VIP. */
export function killTogether(processes: readonly ProcessId[]): void {
  for (const signal of ['SIGSTOP', 'SIGKILL'] as const)
    for (const { pid } of processes) process.kill(pid, signal);
}

/** Adverts that may be missed without a move: 3.6 seconds' worth. */
export const PATIENT = { downAdverts: 12 } as const;

/** Two nodes on one Ethernet segment; the first has the higher priority. */
export async function createVrrpPair(): Promise<
  { readonly nodes: readonly [VrrpNode, VrrpNode] } & AsyncDisposable
> {
  const stack = new AsyncDisposableStack();
  const dir = mkdtempSync('/tmp/hwkv-');
  stack.defer(() => rmSync(dir, { recursive: true, force: true }));
  const a = stack.use(await createNetNamespace());
  const b = stack.use(await createNetNamespace());
  const ends = [a, b].map((namespace, index) => ({
    namespace,
    device: 'eth0',
    addresses: [`10.77.0.1${index + 1}/24`],
  }));
  stack.use(await connectSegment(ends));
  return {
    nodes: [createNode(dir, a, 1), createNode(dir, b, 2)],
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}

/** Its supervisor, once the node holds the VIP. */
export async function startHolder(node: VrrpNode): Promise<VrrpSupervisorProcess> {
  node.install();
  const supervisor = node.supervise();
  await supervisor.waitForState('MASTER');
  return supervisor;
}

/** The first one holds the VIP, the other is its backup. */
export async function startBoth(
  [a, b]: readonly [VrrpNode, VrrpNode],
  options: Pick<ConfigurationOptions, 'downAdverts'> = {},
): Promise<readonly [VrrpSupervisorProcess, VrrpSupervisorProcess]> {
  a.install(options);
  b.install(options);
  const holder = a.supervise();
  await holder.waitForState('MASTER');
  const backup = b.supervise();
  await backup.waitForState('BACKUP');
  return [holder, backup];
}

function createNode(root: string, namespace: NetNamespace, number: 1 | 2): VrrpNode {
  const dir = join(root, `n${number}`);
  mkdirSync(dir);
  const paths: NodePaths = {
    dir,
    config: join(dir, 'keepalived.conf'),
    socket: join(dir, 'keepalived.sock'),
    track: join(dir, 'lb.track'),
    fifo: join(dir, 'notify.fifo'),
    states: join(dir, 'vrrp-state.json'),
    log: join(dir, 'log'),
  };
  return {
    namespace,
    paths,
    install: (options = {}) => {
      writeFileSync(`${paths.config}.new`, configurationText(paths, number, options));
      renameSync(`${paths.config}.new`, paths.config);
    },
    supervise: (flags = [], prefix = []) => startSupervisor(namespace, paths, flags, prefix),
    holdsVip: async () => (await namespace.run('ip', '-o', 'address', 'show', 'to', VIP)).trim() !== '',
    ip: (...args) => namespace.run('ip', ...args),
    events: (name) => readLogEvents(paths.log).filter(({ event }) => event === name),
  };
}

function startSupervisor(
  namespace: NetNamespace,
  paths: NodePaths,
  flags: readonly string[],
  prefix: readonly string[],
): VrrpSupervisorProcess {
  const own = ['--config', paths.config, '--socket', paths.socket, '--run-dir', paths.dir];
  const argv = [...namespace.prefix, ...prefix, hawser, 'keepalived', 'supervise', ...own, ...flags];
  const child = startLogged(argv, paths.log);
  if (child.pid === undefined) throw new Error(`Cannot start "${hawser}": no process`);
  const ask = async (line: string): Promise<VrrpAnswer> =>
    answerSchema.parse((await askRaw(paths.socket, `${line}\n`))[0]);
  const status = async (): Promise<VrrpStatus> => vrrpStatusSchema.parse(await ask('status'));
  const running = (): boolean => existsSync(paths.socket);
  return {
    pid: child.pid,
    ended: endOf(child),
    kill: (signal) => void child.kill(signal),
    ask,
    status,
    waitForState: (state) =>
      waitFor(`the instance to be ${state}`, async () => {
        const instance = running() ? (await status()).instances[0] : undefined;
        return instance?.state === state ? instance : undefined;
      }),
    waitForPhase: (phase) =>
      waitFor(`the supervisor to be ${phase}`, async () => {
        const found = running() ? await status() : undefined;
        return found?.phase === phase ? found : undefined;
      }),
  };
}

/** Adverts every 0.3 s: one that a busy machine sends late must not move a VIP in a test. */
function configurationText(
  paths: NodePaths,
  number: 1 | 2,
  {
    priority = 230 - number * 10,
    trackFile = false,
    peers = true,
    peer = `10.77.0.1${3 - number}`,
    downAdverts = 3,
    globals = '',
    extra = '',
  }: ConfigurationOptions,
): string {
  return `global_defs {
    router_id n${number}
    enable_script_security
    script_user root
    vrrp_version 3
    vrrp_check_unicast_src
    vrrp_garp_master_delay 1
    vrrp_higher_prio_send_advert true
    vrrp_notify_fifo ${paths.fifo}
    vrrp_notify_priority_changes true
    max_auto_priority -1
    ${globals}
}
${trackFile ? `track_file lb {\n    file "${paths.track}"\n    weight 1\n    init_file -254\n}` : ''}
vrrp_instance API {
    state BACKUP
    interface eth0
    virtual_router_id 77
    priority ${priority}
    advert_int 0.3
    down_timer_adverts ${downAdverts}
    unicast_fault_no_peer
    unicast_src_ip 10.77.0.1${number}
    ${peers ? `unicast_ttl 255\n    unicast_peer {\n        ${peer} min_ttl 255 max_ttl 255\n    }` : ''}
    virtual_ipaddress {
        ${VIP}/32
    }
    ${trackFile ? 'track_file {\n        lb\n    }' : ''}
    ${extra}
}
`;
}
