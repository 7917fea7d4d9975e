import { readdirSync, readlinkSync, statSync } from 'node:fs';
import { runCommand } from '../../src/engine/system/process/run-command.ts';
import { cleanUpAfterDeath } from './survivor.ts';
import { waitFor } from './wait-for.ts';

/** A network of its own: its ports, its loopback, its nftables. Nothing in it reaches the machine's network. */
export interface NetNamespace extends AsyncDisposable {
  /** `hawser-<pid of the test>-<n>`, as `ip netns list` shows it. */
  readonly name: string;
  /**
   * What goes in front of a program to run it inside. `nsenter` and not `ip netns exec`: the latter makes a mount
   * namespace too, and what is mounted outside afterwards would be missing inside. It execs, so the pid of the
   * started process is the program's own.
   */
  readonly prefix: readonly [string, ...string[]];
  /** Runs a program inside to its end; throws if it does not exit with 0. Returns its stdout. */
  run(...argv: [string, ...string[]]): Promise<string>;
  /** Pids of every process whose network this is, whatever its parent is now. */
  residents(): readonly number[];
  /**
   * Kills (SIGKILL) every resident, waits until it is gone and removes the namespace: nothing writes any more into the
   * folders that the test removes next. Everything inside was started by the test, so nothing of a failed test stays behind.
   * May be called twice. It also happens when the test's process ends, however it does.
   */
  remove(): Promise<void>;
}

/** A namespace with its loopback up. Needs root. */
export async function createNetNamespace(): Promise<NetNamespace> {
  const name = nextName();
  await ip('netns', 'add', name);
  const inode = statSync(`/run/netns/${name}`).ino;
  const survivor = cleanUpAfterDeath(removalScript, name);
  const remove = async () => {
    if (!survivor.dismiss()) return;
    await killResidents(inode);
    await ip('netns', 'del', name);
  };
  const prefix = ['nsenter', `--net=/run/netns/${name}`, '--'] as const;
  await mustRun([...prefix, 'sh', '-ec', firstSteps]);
  return {
    name,
    prefix: [...prefix],
    run: (...argv) => mustRun([...prefix, ...argv]),
    residents: () => residentsOf(inode),
    remove,
    [Symbol.asyncDispose]: remove,
  };
}

/** One that a process made which could not remove it: as its own `remove`. Silent if it is already gone. */
export async function removeNetNamespace(name: string): Promise<void> {
  const inode = statSync(`/run/netns/${name}`, { throwIfNoEntry: false })?.ino;
  if (inode === undefined) return;
  await killResidents(inode);
  // Another process may have been faster.
  await ip('netns', 'del', name).catch(() => undefined);
}

/**
 * Puts `10.0.0.2/24` or `fd00::2/64` on a device. The first packet to an IPv6 neighbour
 * may still take a second after a cable was put in: the kernel reports new carriers once a second.
 */
export async function addAddress(namespace: NetNamespace, device: string, cidr: string): Promise<void> {
  await ip('-n', namespace.name, 'address', 'add', cidr, 'dev', device);
}

export interface NetworkEnd {
  readonly namespace: NetNamespace;
  readonly device: string;
  /** `10.0.0.2/24`, `fd00::2/64`: any number of either family. */
  readonly addresses: readonly string[];
}

/** A cable between two namespaces: a veth pair, both ends up. It goes away with either namespace. */
export async function connectPair(a: NetworkEnd, b: NetworkEnd): Promise<void> {
  const peer = ['peer', 'name', b.device, 'netns', b.namespace.name];
  await ip('link', 'add', a.device, 'netns', a.namespace.name, 'type', 'veth', ...peer);
  for (const end of [a, b]) await batch(end.namespace, stepsUp(end));
}

/**
 * One Ethernet segment for many namespaces: a bridge in a namespace of its own, nothing of it in the machine's network.
 * Removing the returned namespace takes every cable away.
 */
export async function connectSegment(ends: readonly NetworkEnd[]): Promise<NetNamespace> {
  const middle = await createNetNamespace();
  // No spanning tree and no forwarding delay: a frame passes as soon as both ports are up.
  await batch(middle, ['link add segment type bridge forward_delay 0', 'link set segment up']);
  for (const [index, end] of ends.entries()) {
    const port = `port${index}`;
    await connectPair(end, { namespace: middle, device: port, addresses: [] });
    await ip('-n', middle.name, 'link', 'set', port, 'master', 'segment');
  }
  return middle;
}

function stepsUp({ device, addresses }: NetworkEnd): readonly string[] {
  return [...addresses.map((cidr) => `address add ${cidr} dev ${device}`), `link set ${device} up`];
}

/** Runs `ip` once for all of them, in order; throws at the first that fails. */
export async function batch({ name }: NetNamespace, steps: readonly string[]): Promise<void> {
  await mustRun(['ip', '-n', name, '-batch', '-'], steps.map((step) => `${step}\n`).join(''));
}

/** The same as `remove`, for a shell. */
const removalScript = `for round in 1 2 3 4 5 6 7 8 9; do
  residents=$(ip netns pids "$1")
  [ -n "$residents" ] || break
  kill -KILL $residents
done
ip netns del "$1"`;

/** Duplicate detection would keep every IPv6 address silent for a second. */
const firstSteps = `ip link set lo up
for which in all default; do echo 0 >/proc/sys/net/ipv6/conf/$which/accept_dad; done`;

let created = 0;
function nextName(): string {
  created += 1;
  return `hawser-${process.pid}-${created}`;
}

function residentsOf(inode: number): readonly number[] {
  const wanted = `net:[${inode}]`;
  return readdirSync('/proc').flatMap((entry) => {
    const pid = Number(entry);
    return Number.isInteger(pid) && networkOf(pid) === wanted ? [pid] : [];
  });
}

function networkOf(pid: number): string | undefined {
  try {
    return readlinkSync(`/proc/${pid}/ns/net`);
  } catch {
    return undefined;
  }
}

/**
 * More than once, because a process may fork between the reading and the signal, and because one that was killed ends
 * what it is doing in the kernel once it gets to run. The pids come from the namespace itself a moment before: no name and
 * no old list is involved.
 */
async function killResidents(inode: number): Promise<void> {
  await waitFor('the residents of a namespace to be gone', () => {
    const pids = residentsOf(inode);
    for (const pid of pids) {
      try {
        process.kill(pid, 'SIGKILL');
      } catch {
        // It ended by itself in between.
      }
    }
    return pids.length === 0;
  });
}

async function ip(...args: string[]): Promise<string> {
  return await mustRun(['ip', ...args]);
}

async function mustRun(argv: readonly [string, ...string[]], input?: string): Promise<string> {
  const timeoutMs = 60_000;
  const result = await runCommand(argv, { timeoutMs, ...(input !== undefined && { input }) });
  if (result.exitCode === 0) return result.stdout;
  const outcome = result.timedOut
    ? `no end after ${timeoutMs} ms`
    : `exit code ${result.exitCode ?? result.signal}`;
  throw new Error(`Cannot run "${argv.join(' ')}": ${outcome}, expected 0: ${result.stderr.trim()}`);
}
