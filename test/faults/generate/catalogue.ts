/** What can be killed or stopped on a node: a program with its children, or a single process of hawser. */
export const targets = [
  'haproxy',
  'haproxy-supervisor',
  'haproxy-container',
  'haproxy-monitor',
  'keepalived',
  'keepalived-supervisor',
  'keepalived-container',
  'keepalived-monitor',
  'api-server',
] as const;
export type Target = (typeof targets)[number];

/** Files that hawser writes, relative to a node's folder; `run/` stands for /run. */
const outputs = [
  'haproxy.cfg',
  'haproxy.cfg.last-good',
  'keepalived.conf',
  'keepalived.conf.last-good',
  'api-servers.json',
  'vrrp-nodes.json.api.ipv4',
  'run/haproxy.last-good.cfg',
  'run/hawser-generations.json',
  'run/hawser-keepalived.json',
  'run/keepalived.accepted.conf',
  'run/lb.track',
  'run/lb.participation.json',
  'run/server-state',
  'run/vrrp-state.json',
  'run/haproxy.pid',
  'run/keepalived.pid',
] as const;
/** Sockets and FIFOs have no content to damage; they can only be deleted. */
const sockets = [
  'run/haproxy-master.sock',
  'run/haproxy.sock',
  'run/keepalived.sock',
  'run/notify.fifo',
] as const;
const inputs = ['haproxy.cfg.ejs', 'keepalived.conf.ejs', 'kubeconfig'] as const;
const ways = ['truncate', 'corrupt', 'chmod', 'delete', 'replace'] as const;
export type DamageWay = (typeof ways)[number];
const inEveryWay = (files: readonly string[]) => files.flatMap((file) => ways.map((way) => `${way} ${file}`));
const lies = ['empty', 'half', 'old', 'huge', 'invalid'] as const;

export interface Kind {
  /** One-line description. */
  readonly about: string;
  readonly variants: readonly string[];
  /** On one node, or in what the nodes share. Only one shared fault happens at a time. */
  readonly place: 'node' | 'network';
  /** Shortest and longest duration. */
  readonly lastsMs: readonly [number, number];
  /** No other fault can hit its node meanwhile. */
  readonly alone?: true;
}

/** Variant of `restart-pod`: both pods on all nodes, one node after another. */
export const everyNode = 'every node';

const moment = [0, 0] as const;
const seconds = (from: number, to: number) => [from * 1_000, to * 1_000] as const;

/** Every kind of fault. `inject/` implements it, and `validate/bounds.ts` says what it may cause. */
export const catalogue = {
  kill: {
    about: 'SIGKILL; what the kubelet runs is started again after a second',
    variants: targets,
    place: 'node',
    lastsMs: moment,
  },
  stop: {
    about: 'SIGSTOP, and SIGCONT at the end',
    variants: targets,
    place: 'node',
    lastsMs: seconds(1, 6),
  },
  'restart-pod': {
    about: 'SIGTERM for both containers of a pod, which the kubelet starts again; or that for all pods',
    variants: ['haproxy', 'keepalived', 'both', everyNode],
    place: 'node',
    lastsMs: moment,
  },
  'power-off': {
    about: 'the node loses its network and everything that runs on it, and boots again',
    variants: ['node'],
    place: 'node',
    lastsMs: seconds(2, 8),
    alone: true,
  },
  unplug: {
    about: 'no carrier on the node’s interface',
    variants: ['node'],
    place: 'node',
    lastsMs: seconds(1, 6),
  },
  partition: {
    about: 'the node, alone or with the client, reaches no other',
    variants: ['node', 'node and client'],
    place: 'network',
    lastsMs: seconds(1, 6),
  },
  'bad-cable': {
    about:
      'every fifth packet to the node is lost, every second one from it comes twice, or it sends 2 Mbit/s',
    variants: ['loss', 'duplicates', 'slow'],
    place: 'node',
    lastsMs: seconds(2, 6),
  },
  starve: {
    about: 'the node’s processes get 5 or 20 % of a processor together',
    variants: ['5 %', '20 %'],
    place: 'node',
    lastsMs: seconds(2, 6),
  },
  'clock-jump': {
    about: 'the wall clock of the node is an hour ahead or behind, and is put right at the end',
    variants: ['ahead', 'behind'],
    place: 'node',
    lastsMs: seconds(3, 8),
  },
  'fill-disk': {
    about: 'not a byte is free on the file system of the node',
    variants: ['node'],
    place: 'node',
    lastsMs: seconds(2, 8),
  },
  'exhaust-descriptors': {
    about: 'the process may open no descriptor more',
    variants: [
      'haproxy-supervisor',
      'haproxy-monitor',
      'keepalived',
      'keepalived-supervisor',
      'keepalived-monitor',
    ],
    place: 'node',
    lastsMs: seconds(2, 8),
  },
  'exhaust-processes': {
    about: 'no process or thread can be started on the node',
    variants: ['node'],
    place: 'node',
    lastsMs: seconds(2, 8),
  },
  'damage-output': {
    about: 'a file that hawser wrote is truncated, corrupted, made unreadable, deleted or replaced',
    variants: [...sockets.map((file) => `delete ${file}`), ...inEveryWay(outputs)],
    place: 'node',
    lastsMs: moment,
  },
  'damage-input': {
    about: 'the same with a template or the kubeconfig, put back at the end',
    variants: inEveryWay(inputs),
    place: 'node',
    lastsMs: seconds(2, 8),
  },
  'api-fault': {
    about: 'the node’s API server stalls, is silent, resets, fails, refuses, is slow, or breaks its watches',
    variants: [
      ...(['stall', 'silent-watch', 'reset', 'error-500', 'not-ready', 'refuse', 'slow'] as const),
      ...(['cut-watch', 'garbage-watch'] as const),
    ],
    place: 'node',
    lastsMs: seconds(2, 8),
  },
  'api-lie': {
    about:
      'the node’s API server lists no nodes, half of them, at an old version, with 32 MB more, or half a text',
    variants: lies,
    place: 'node',
    lastsMs: seconds(2, 8),
  },
  'api-lie-everywhere': {
    about: 'the same with all API servers',
    variants: lies,
    place: 'network',
    lastsMs: seconds(2, 8),
  },
  'remove-member': {
    about: 'the API does not list the node, and does again at the end',
    variants: ['node'],
    place: 'network',
    lastsMs: seconds(2, 8),
  },
  'replace-node': {
    about: 'the API forgets the node, and another one, just installed, takes its name and address at the end',
    variants: ['node'],
    // Shared, like `remove-member`: the API has a single list of nodes.
    place: 'network',
    lastsMs: seconds(2, 8),
    alone: true,
  },
  'reload-storm': {
    about: 'twenty reloads are asked for at once',
    variants: ['haproxy', 'keepalived'],
    place: 'node',
    lastsMs: moment,
  },
  order: {
    about: 'an operator moves the VIP, or drains the node and undrains it at the end',
    variants: ['move-vip', 'drain'],
    place: 'node',
    lastsMs: seconds(2, 6),
  },
  'by-hand': {
    about: 'another program removes the VIP, adds it, or flushes nftables',
    variants: ['remove-vip', 'add-vip', 'flush-nftables'],
    place: 'node',
    lastsMs: moment,
  },
} as const satisfies Readonly<Record<string, Kind>>;

export type FaultName = keyof typeof catalogue;
export const faultNames = Object.keys(catalogue) as readonly FaultName[];

export function kindOf(name: FaultName): Kind {
  return catalogue[name];
}
