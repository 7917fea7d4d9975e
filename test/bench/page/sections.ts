import { router, routerDetails } from './router-section.ts';
import type { Goal, Row, Section } from './table.ts';

const rivals = {
  hawser: 'hawser',
  shell: 'the shell daemon',
  openshift: 'OpenShift',
  kubeadm: 'the kubeadm guide',
  bare: 'bare HAProxy',
} as const;

const never: Goal = { atMost: 0, of: 'max' };

function dataRow(
  what: string,
  unit: string,
  better: Row['better'],
  path: string,
  about: Partial<Row> = {},
): Row {
  const cells = Object.fromEntries(Object.keys(rivals).map((key) => [key, `data#subjects/${key}/${path}`]));
  return { what, unit, better, cells, goal: { asGoodAs: 'shell' }, ...about };
}

const healthFirst = "Only hawser saves the servers' health first.";
const keepalive = 'Only hawser has the kernel probe for vanished clients.';
const fewer = 'Without checks, statistics and log lines there is less to do.';

const dataPath: Section = {
  title: 'Data path',
  about: `HAProxy with each configuration and three servers; client and servers share the cores (\`npm run bench:data\`) and limit the rates. CPU time is HAProxy's alone.
The baseline is bare HAProxy: a listener and three servers without checks. "The shell daemon" is OpenShift's HAProxy start script; "OpenShift" and "the kubeadm guide"
are their configurations of HAProxy and keepalived. The goal is at most 3 % worse than the shell daemon.`,
  columns: rivals,
  chart: {
    name: 'data-path',
    title: 'CPU time of HAProxy per new TLS connection',
    unit: 'µs of a core',
    scale: 'linear',
  },
  rows: [
    dataRow('new TLS connections a second', '', 'more', 'connect/perSecond', { why: keepalive }),
    dataRow("HAProxy's CPU time per new TLS connection", 'µs of a core', 'less', 'connect/haproxyUs', {
      why: fewer,
    }),
    dataRow('streaming', 'MB/s', 'more', 'stream/mbPerSecond'),
    dataRow("HAProxy's CPU time per 1,000 MB", 'ms of a core', 'less', 'stream/haproxyMsPerGb'),
    dataRow('idle streams that are still open after a reload', '', 'more', 'idle/open'),
    dataRow("HAProxy's anonymous memory with idle streams", 'MB', 'less', 'idle/anonymousMb'),
    dataRow('from a reload to serving, with idle streams', 'ms', 'less', 'idle/reloadMs', {
      why: healthFirst,
    }),
  ],
};

function reloadRow(
  what: string,
  unit: string,
  scenario: string,
  figure: string,
  about: Partial<Row> = {},
): Row {
  const at = (subject: string) => `reload#scenarios/${scenario}/${subject}/${figure}`;
  return { what, unit, better: 'less', cells: { hawser: at('hawser'), shell: at('shell') }, ...about };
}

const reloads: Section = {
  title: 'Reloads',
  about: `Both with the same HAProxy, files and load (\`npm run bench:reload\`). The kubeadm guide restarts the pod instead of reloading. Requests that arrive during
a reload share the next one.`,
  columns: rivals,
  rows: [
    reloadRow('a reload a second under 540 new connections/s: connections lost', '', 'steady', 'lost', {
      goal: never,
    }),
    reloadRow('most of 60 long-lived connections closed within 100 ms', '', 'steady', 'mostCutsIn100Ms'),
    reloadRow('20 reloads within 50 ms: connections lost', '', 'burst', 'lost', { goal: never }),
    reloadRow('20 reloads within 50 ms: generations started', '', 'burst', 'generationsStarted', {
      goal: { atMost: 2 },
    }),
    reloadRow(
      'one server down, no redispatch: connections lost at each reload',
      '',
      'dead-server-plain',
      'lostPerReload',
      { goal: never },
    ),
    reloadRow('file that HAProxy rejects: connections lost', '', 'bad-file', 'lost', { goal: never }),
    reloadRow('no file: connections lost', '', 'missing-file', 'lost', { goal: never }),
    reloadRow('empty file: connections lost', '', 'empty-file', 'lost', { goal: never }),
    reloadRow('port in use: connections lost once it has resumed', '', 'port-clash', 'lostOnceResumed', {
      goal: never,
    }),
    reloadRow('worker killed: served again after', 'ms', 'kill-worker', 'servedAgainMs', {
      goal: { atMost: 500, of: 'max' },
    }),
    reloadRow('master killed: served again after', 'ms', 'kill-master', 'servedAgainMs', {
      goal: { atMost: 500, of: 'max' },
    }),
    reloadRow('message to serving', 'ms', 'message-to-serving', 'messageToServingMs', {
      why: healthFirst,
    }),
    {
      what: 'Node changed at the API to served by HAProxy (shell: a recording)',
      unit: 'ms',
      better: 'less',
      cells: { hawser: 'change#change/hawser', shell: 'change#change/shell' },
      goal: { atMost: 1_000 },
    },
    reloadRow('supervisor at rest: anonymous memory', 'MB', 'idle', 'supervisorAnonymousMb', {
      goal: { atMost: 14 },
      why: 'A shell needs less than Node.',
    }),
  ],
};

function faultRow(what: string, fault: string, metric: string, about: Partial<Row> = {}): Row {
  const at = (subject: string) => `failover#faults/${fault}/${subject}/metrics/${metric}`;
  const cells = { hawser: at('hawser'), openshift: at('openshift'), kubeadm: at('kubeadm') };
  return { what, unit: 'ms', better: 'less', cells, ...about };
}

const failover: Section = {
  title: 'Failover',
  about: `Three nodes and a client in network namespaces. The client opens a connection every 20 ms; the figure is its longest time without an answer
(\`npm run bench:failover\`).`,
  columns: rivals,
  chart: {
    name: 'failover',
    title: 'Longest time without an answer, by fault on the holder',
    unit: 'ms',
    scale: 'log',
  },
  rows: [
    faultRow('node dead', 'node-death', 'outageMs', { goal: { atMost: 350 } }),
    faultRow('HAProxy killed', 'haproxy-kill', 'outageMs', { goal: { atMost: 80 } }),
    faultRow('HAProxy hung', 'haproxy-hang', 'outageMs', { goal: { atMost: 900 } }),
    faultRow('keepalived stopped', 'keepalived-term', 'outageMs', { goal: { atMost: 60 } }),
    faultRow('keepalived killed', 'keepalived-kill', 'outageMs', {
      goal: { atMost: 60 },
      why: 'Its address stays, and answers, until another node takes it; the others notice later.',
    }),
    faultRow('cut off from the client', 'split-far', 'outageMs', {
      goal: { atMost: 350 },
      cells: { hawser: 'failover#faults/split-far/hawser/metrics/outageMs' },
    }),
  ],
};

const tail: Section = {
  title: 'The tail',
  about: `The time from the first failed connection to the last, for a client that gives up after 200 ms, and the longest wait of a client that does not give up. A holder
that is cut off together with the client reaches no other node, so only its health checks detect that the other API servers are gone.`,
  columns: rivals,
  rows: [
    faultRow("the holder's node dies: first to last failure", 'node-death', 'failureWindowMs', {
      goal: { atMost: 1_000, of: 'max' },
    }),
    faultRow("the holder's node dies: longest wait", 'node-death', 'longestWaitMs'),
    faultRow('another node dies: first to last failure', 'other-node-death', 'failureWindowMs', {
      goal: { atMost: 2_000, of: 'max' },
    }),
    faultRow('another node dies: longest wait', 'other-node-death', 'longestWaitMs', {
      goal: { atMost: 1_000, of: 'max' },
    }),
    faultRow('an API server is killed: first to last failure', 'api-kill', 'failureWindowMs', {
      goal: { atMost: 120 },
    }),
    faultRow(
      'a packet filter drops what is sent to an API server: first to last failure',
      'api-drop',
      'failureWindowMs',
      { goal: { atMost: 2_000, of: 'max' } },
    ),
    faultRow('an API server hangs: first to last failure', 'api-hang', 'failureWindowMs', {
      goal: { atMost: 3_000, of: 'max' },
    }),
    faultRow('an API server hangs: longest wait', 'api-hang', 'longestWaitMs'),
    faultRow('cut off together with the client: first to last failure', 'split', 'failureWindowMs'),
  ],
};

const holders: Section = {
  title: 'Two holders and needless moves',
  about: 'Both should be 0. A partition always has two holders: the time counts from when the network heals.',
  columns: rivals,
  rows: [
    faultRow('a partition heals: two holders', 'split', 'healingMs', { goal: { atMost: 30 } }),
    faultRow('two `move-vip --to` at once: two holders', 'two-moves', 'twoHoldersMs', {
      cells: { hawser: 'failover#faults/two-moves/hawser/metrics/twoHoldersMs' },
      goal: { atMost: 30, of: 'max' },
    }),
    faultRow('a node joins: moves', 'add-peer', 'moves', { unit: '', goal: never }),
    faultRow('a node leaves: moves', 'remove-peer', 'moves', { unit: '', goal: never }),
    faultRow('a dead node comes back: moves', 'node-death', 'recoveryMoves', { unit: '', goal: never }),
  ],
};

const powerCuts = {
  kept: 'files kept, the API is there',
  'kept-staggered': 'the same, nodes start a second apart',
  'kept-away': 'files kept, the API is away',
  first: 'the very first start',
} as const;

const powerCut: Section = {
  title: 'Power cut',
  about: `All three nodes at once (\`npm run bench:boot\`), from the start of the last program. Their twelve programs share two cores, which costs
about a second. On its very first start a node listens on the segment for 3.2 s before it joins.`,
  columns: { holderMs: 'first holder, ms', twoHoldersMs: 'two holders, ms', furtherMoves: 'further moves' },
  isPlain: true,
  rows: Object.entries(powerCuts).map(([boot, what]) => {
    const at = (figure: string) => `boot#boots/${boot}/figures/${figure}`;
    const cells = {
      holderMs: at('holderMs'),
      twoHoldersMs: at('twoHoldersMs'),
      furtherMoves: at('furtherMoves'),
    };
    const goal = boot === 'first' ? {} : { goal: { atMost: 4_000, of: 'max' } as const };
    return { what, unit: '', better: 'less', cells, ...goal };
  }),
};

const weights = {
  resident: 'resident',
  proportional: 'proportional',
  rest: 'anonymous',
  reloads: 'anonymous after reloads',
} as const;

function weightRow(what: string, part: string, atMost?: number): Row {
  const cells = {
    resident: `footprint#atRest/${part}/rss`,
    proportional: `footprint#atRest/${part}/pss`,
    rest: `footprint#atRest/${part}/anonymous`,
    reloads: `footprint#afterReloads/${part}/anonymous`,
  };
  const goal = atMost === undefined ? {} : { goal: { atMost, column: 'reloads' } };
  return { what, unit: 'MB', better: 'less', cells, scale: 1 / 1_024, ...goal };
}

const footprint: Section = {
  title: 'Footprint',
  about:
    'One of three nodes, idle unless the column says otherwise (`npm run bench:footprint`). The goals apply after the reloads.',
  columns: weights,
  isPlain: true,
  chart: { name: 'footprint', title: 'Memory of the programs of a node', unit: 'MB', scale: 'linear' },
  rows: [
    weightRow("HAProxy's supervisor", 'haproxy', 14),
    weightRow("HAProxy's monitor", 'haproxy-monitor'),
    weightRow("keepalived's supervisor", 'keepalived', 14),
    weightRow("keepalived's monitor", 'keepalived-monitor'),
    weightRow('all four', 'total', 110),
  ],
};

function sizeRow(what: string, figure: string, about: Partial<Row> = {}): Row {
  const cells = { hawser: `image#${figure}` };
  return { what, unit: 'MB', better: 'less', cells, scale: 1 / 1_000_000, ...about };
}

const image: Section = {
  title: 'Image',
  about:
    'On a node, and as pulled from a registry with compressed layers (`npm run image`, then `npm run bench:image`).',
  columns: { hawser: 'hawser' },
  rows: [
    sizeRow('uncompressed', 'uncompressedBytes', { goal: { atMost: 240 } }),
    sizeRow('compressed, gzip', 'compressedBytes'),
  ],
};

const soaked = [
  'haproxy-supervisor',
  'haproxy-monitor',
  'keepalived-supervisor',
  'keepalived-monitor',
  'haproxy',
  'keepalived',
];

const soak: Section = {
  title: 'Soak',
  about: `Three nodes under load for an hour, with reloads and moves of the VIP (\`npm run test:soak -- --json docs/performance/soak.json\`): anonymous memory, averaged over the
nodes after a warm-up. Growth is the slope of a fitted line; within two standard errors it is noise.`,
  columns: { end: 'at the end, MB', growth: 'growth, MB an hour', error: 'standard error, MB an hour' },
  isPlain: true,
  rows: soaked.map((program) => {
    const slope = `soak#slopes/[program=${program},quantity=anonymousMb]`;
    const cells = { end: `${slope}/to`, growth: `${slope}/perHour`, error: `${slope}/error` };
    return { what: program, unit: '', better: 'less', cells };
  }),
};

const lossRow = (what: string, figure: string, goal?: Goal): Row => ({
  what,
  unit: '',
  better: 'less',
  cells: { vip: `soak#loads/[name=VIP]/${figure}` },
  ...(goal && { goal }),
});

const soakLosses: Section = {
  title: 'An hour under load',
  about: `Three nodes for an hour, with reloads and moves of the VIP (\`npm run test:soak\`). 300 new TLS connections a second and half of 500 streams use
the VIP. A stream ends when the VIP leaves its node. If the client itself was late, the machine was too busy and its losses prove nothing.`,
  columns: { vip: 'through the VIP' },
  rows: [
    lossRow('new connections', 'connections'),
    lossRow('of them lost while the VIP was moved', 'lost/atMoves'),
    lossRow('of them lost otherwise', 'lost/otherwise', never),
    lossRow('streams cut while the VIP was not moved', 'cut/otherwise', never),
    lossRow('slowest connection, ms', 'slowestMs'),
    lossRow('the client itself was late by, ms', 'lateMs'),
  ],
};

function startRow(what: string, figure: string): Row {
  const cells = { hawser: `footprint#${figure}` };
  return { what, unit: 'ms', better: 'less', cells, goal: { atMost: 250 } };
}

const starts: Section = {
  title: 'Start',
  about: `From the start of a supervisor (\`npm run bench:footprint\`). A restarted supervisor adopts the running program; the time ends with its first answer on the
control socket. In a cold start the program is not running; the time ends with the first answer to a TLS client on HAProxy's port, or with
the first state that keepalived reports. "Power cut" has the time until the VIP has a holder.`,
  columns: { hawser: 'hawser' },
  rows: [
    startRow("HAProxy's supervisor adopts a running HAProxy", 'starts/haproxy'),
    startRow('cold start of HAProxy: to the first answer on its port', 'coldStarts/haproxy'),
    startRow("keepalived's supervisor adopts a running keepalived", 'starts/keepalived'),
    startRow('cold start of keepalived: to its first state', 'coldStarts/keepalived'),
  ],
};

const followed = { nodes: "HAProxy's monitor: 3 nodes", all: 'ingress VIP: all nodes' } as const;

function scaleRow(what: string, unit: string, figure: string, goal?: Goal): Row {
  const cells = { nodes: `scale#nodes/${figure}`, all: `scale#all-nodes/${figure}` };
  return { what, unit, better: 'less', cells, ...(goal && { goal }) };
}

const scale: Section = {
  title: 'Scale',
  about: `5,000 Nodes in the API and 100 heartbeats a second (\`npm run bench:scale\`): HAProxy's monitor, which lists only the control plane's nodes, and
a monitor with an ingress VIP, which watches all nodes and lists them every 50 s.`,
  columns: followed,
  isPlain: true,
  rows: [
    scaleRow('processor time', '% of a core', 'corePercent', { atMost: 2 }),
    scaleRow('processor time without its lists', '% of a core', 'watchPercent'),
    scaleRow('anonymous memory at the end', 'MB', 'anonymousMb'),
    scaleRow('growth of anonymous memory', 'MB an hour', 'growthMbPerHour'),
    scaleRow('growth, standard error', 'MB an hour', 'growthErrorMbPerHour'),
    scaleRow('memory is flat: it grows by no more than two standard errors', '', 'isFlat'),
  ],
};

/** The pages below docs/: figures for operators, and figures by which code changes are measured. */
export const pages = {
  'performance.md': [...[dataPath, reloads, failover, tail], ...[footprint, image, router]],
  'internals/measurements.md': [holders, powerCut, soakLosses, soak, starts, scale, routerDetails],
} satisfies Record<string, readonly Section[]>;

export const sections: readonly Section[] = Object.values(pages).flat();
