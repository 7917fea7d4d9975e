import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readlinkSync, statSync } from 'node:fs';
import { runCommand } from '../../src/engine/system/process/run-command.ts';

/** A separate network: its own ports, loopback and nftables. Nothing in it reaches the machine's network. */
export interface NetNamespace extends AsyncDisposable {
  /** `hawser-<pid of the test>-<n>`, as `ip netns list` shows it. */
  readonly name: string;
  /**
   * Goes in front of a program to run it inside. `nsenter`, not `ip netns exec`: the latter also creates a mount
   * namespace, which would lack whatever is mounted outside later. It execs, so the pid of the started process is the
   * program's own.
   */
  readonly prefix: readonly [string, ...string[]];
  /** Runs a program inside to its end; throws unless it exits with 0. Returns its stdout. */
  run(...argv: [string, ...string[]]): Promise<string>;
  /** Pids of every process in this network, whatever its parent is now. */
  residents(): readonly number[];
  /**
   * Kills every resident (SIGKILL), waits until all are gone and removes the namespace: nothing still writes to the
   * folders that the test removes next. Everything inside was started by the test, so a failed test leaves nothing
   * behind. May be called twice. Also happens when the test's process ends, however it ends.
   */
  remove(): Promise<void>;
}

/** A namespace with loopback up. Needs root. */
export async function createNetNamespace(): Promise<NetNamespace> {
  const name = nextName();
  const remove = await keepNamespace(name);
  const inode = statSync(`/run/netns/${name}`).ino;
  const prefix = ['nsenter', `--net=/run/netns/${name}`, '--'] as const;
  return {
    name,
    prefix: [...prefix],
    run: (...argv) => mustRun([...prefix, ...argv]),
    residents: () => residentsOf(inode),
    remove,
    [Symbol.asyncDispose]: remove,
  };
}

/**
 * Starts the shell that creates the namespace and removes it once its stdin ends, however this process dies. The shell has its
 * own session, and is the only process started: each costs a process of this size 7 ms. Returns the function that ends it.
 */
async function keepNamespace(name: string): Promise<() => Promise<void>> {
  const script = `exec 2>&1\n${creation}\nread -r _ || true\n${removal}`;
  const keeper = spawn('sh', ['-ec', script, 'keeper', name], {
    detached: true,
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  const ended = once(keeper, 'exit');
  const [answer = ''] = await Promise.race([once(keeper.stdout.setEncoding('utf8'), 'data'), ended]);
  if (answer !== 'ready\n') throw new Error(`Cannot make the network namespace ${name}: ${answer}`);
  for (const each of [keeper, keeper.stdin, keeper.stdout])
    if ('unref' in each && typeof each.unref === 'function') each.unref();
  return async () => {
    keeper.ref();
    keeper.stdin.end();
    const [exitCode] = await ended;
    if (exitCode !== 0) throw new Error(`Cannot remove the network namespace ${name}: exit code ${exitCode}`);
  };
}

/** Like `remove`, for a namespace whose process could not remove it. Silent if it is already gone. */
export async function removeNetNamespace(name: string): Promise<void> {
  if (!existsSync(`/run/netns/${name}`)) return;
  // Another process may have been faster.
  await mustRun(['sh', '-ec', removal, 'removal', name]).catch(() => undefined);
}

/**
 * Puts `10.0.0.2/24` or `fd00::2/64` on a device. The first packet to an IPv6 neighbour may still take a second after a
 * cable was plugged in: the kernel reports new carriers once a second.
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

/** A cable between two namespaces: a veth pair with both ends up. Removed with either namespace. */
export async function connectPair(a: NetworkEnd, b: NetworkEnd): Promise<void> {
  const cable = `link add ${a.device} type veth peer name ${b.device} netns ${b.namespace.name}`;
  await batchAll([
    [a.namespace, [cable, ...stepsUp(a)]],
    [b.namespace, stepsUp(b)],
  ]);
}

/**
 * One Ethernet segment for many namespaces: a bridge in its own namespace, with nothing in the machine's network.
 * Removing the returned namespace removes every cable.
 */
export async function connectSegment(ends: readonly NetworkEnd[]): Promise<NetNamespace> {
  const middle = await createNetNamespace();
  const ports = ends.flatMap(({ device, namespace }, index) => [
    `link add port${index} type veth peer name ${device} netns ${namespace.name}`,
    `link set port${index} up`,
    `link set port${index} master segment`,
  ]);
  await batchAll([
    // No spanning tree and no forwarding delay: a frame passes as soon as both ports are up.
    [middle, ['link add segment type bridge forward_delay 0', 'link set segment up', ...ports]],
    ...ends.map((end) => [end.namespace, stepsUp(end)] as const),
  ]);
  return middle;
}

function stepsUp({ device, addresses }: NetworkEnd): readonly string[] {
  return [...addresses.map((cidr) => `address add ${cidr} dev ${device}`), `link set ${device} up`];
}

/** Runs `ip` once for all steps, in order; throws at the first that fails. */
export async function batch(namespace: NetNamespace, steps: readonly string[]): Promise<void> {
  await batchAll([[namespace, steps]]);
}

/** The same for several namespaces, from a single shell. */
async function batchAll(all: readonly (readonly [NetNamespace, readonly string[]])[]): Promise<void> {
  const script = all.map(([{ name }, steps]) => `ip -n ${name} -batch - <<END\n${steps.join('\n')}\nEND`);
  await mustRun(['sh', '-ec', script.join('\n')]);
}

/** Without duplicate address detection, which would keep every IPv6 address silent for a second. */
const creation = `ip netns add "$1"
nsenter --net="/run/netns/$1" -- sh -ec '
  ip link set lo up
  for which in all default; do echo 0 >/proc/sys/net/ipv6/conf/$which/accept_dad; done'
echo ready`;

/**
 * Repeated, because a process may fork between the listing and the signal, and because a killed one finishes what it is
 * doing in the kernel once it gets to run. The pids come from the namespace itself a moment before: no name and no old
 * list is involved.
 */
const removal = `for round in $(seq 600); do
  residents=$(ip netns pids "$1")
  [ -n "$residents" ] || break
  kill -KILL $residents 2>/dev/null || true
  sleep 0.1
done
ip netns del "$1"`;

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
