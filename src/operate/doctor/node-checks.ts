import {
  checkOf,
  type FactReader,
  type Finding,
  fail,
  moreRights,
  ok,
  read,
  readOnce,
  skip,
  unknown,
  warn,
} from '../../engine/examine/check.ts';
import type { WantedPort } from '../../engine/examine/context.ts';
import type { HostFiles } from '../../engine/examine/host-files.ts';
import { type HostProcess, isHawser } from '../../engine/examine/host-processes.ts';
import { parseListeners } from '../../engine/system/network/listening-ports.ts';
import type { DoctorCheck, DoctorContext, DoctorSettings, ProgramPage } from './context.ts';
import { kubeconfig } from './credential-checks.ts';
import type { Product } from './product.ts';
import { askReadyz, type ClusterReading, type LocalApiReading } from './readings.ts';

function judgeSettingsFile(
  reading: DoctorSettings['settingsFile'],
  outdated: DoctorSettings['outdated'],
): Finding {
  switch (reading.kind) {
    case 'none':
      return skip('no settings file: flags and defaults apply');
    case 'read':
      if (outdated.length > 0)
        return warn(
          `the pod is older than its settings file: ${outdated.join(', ')} started before ${reading.file.path} was written`,
          'hawser install --dry-run shows which pods would restart; hawser install restarts those whose settings changed',
        );
      return ok(`${reading.file.path} is valid and was used for this report`);
    case 'broken':
      return fail(
        reading.problems.join('; '),
        'hawser settings lists every problem with its line; this report uses flags and defaults',
      );
  }
}

function judgeReadyz(reading: LocalApiReading, apiPort: number): Finding {
  const where = `https://127.0.0.1:${apiPort}/readyz`;
  if (reading.kind === 'closed') return skip(`no API server listens on ${apiPort} here`);
  if (reading.kind === 'failed') return unknown(`${where}: ${reading.message}`, `curl -k ${where}?verbose`);
  if (reading.status === 200) return ok(`${where} answers 200 without credentials`);
  if (reading.status === 401 || reading.status === 403)
    return fail(
      `${where} answers ${reading.status} without credentials: HAProxy would mark every server down`,
      'kube-apiserver: allow anonymous /readyz (AuthenticationConfiguration, anonymous.conditions), or in the template: http-check expect status 200,401,403',
    );
  return warn(
    `${where} answers ${reading.status}: this API server is not ready`,
    `curl -k ${where}?verbose prints the reason`,
  );
}

function judgeLabels(
  reading: ClusterReading,
  settings: Pick<DoctorSettings, 'source' | 'nodeName' | 'worker'>,
): Finding {
  const label = `kubectl label node ${settings.nodeName} node-role.kubernetes.io/control-plane=`;
  if (settings.source !== 'nodes') return skip(`--source ${settings.source} needs no labels`);
  if (reading.kind === 'not-asked') return unknown(reading.reason, 'see check credentials');
  if (reading.kind === 'refused') return unknown(reading.failure.message, 'see check credentials');
  const names = reading.nodes.map(({ name }) => name);
  if (names.length === 0)
    return fail('no node has the label of the control plane', `on every such node: ${label}`);
  if (!settings.worker && !names.includes(settings.nodeName))
    return warn(
      `${settings.nodeName} is not among ${names.join(', ')}`,
      `${label}; or set its name in the cluster: --node-name`,
    );
  const bare = reading.nodes.filter(({ addresses }) => addresses.length === 0).map(({ name }) => name);
  if (bare.length > 0)
    return fail(
      `${bare.join(', ')} has no InternalIP`,
      'kubelet --node-ip=ADDRESS on that node; kubectl get nodes -o wide',
    );
  return ok(`${names.join(', ')} have the label`);
}

const labels: FactReader<DoctorContext, ClusterReading> = async (context) => {
  const config = context.settings.source === 'nodes' ? await readOnce(context, kubeconfig) : undefined;
  return config === undefined || config.kind === 'read' ? read(await context.readings.cluster()) : config;
};

const settings = (context: DoctorContext) => read(context.settings);

const local = async ({ settings: { apiPort }, ...limits }: DoctorContext) =>
  read(await askReadyz({ host: '127.0.0.1', port: apiPort }, limits));

/** HTTP dates are in whole seconds, and the request itself takes part of a second. */
const TOLERATED_SKEW_MS = 2_000;
const FAILING_SKEW_MS = 30_000;

function judgeClock(where: string, reading: LocalApiReading): Finding {
  if (reading.kind !== 'answered') return skip(`${where} does not answer`);
  const { skewMs } = reading;
  if (skewMs === undefined) return skip(`${where} sends no Date header`);
  const size = `${(Math.abs(skewMs) / 1_000).toFixed(0)} s ${skewMs > 0 ? 'behind' : 'ahead of'} ${where}`;
  if (Math.abs(skewMs) <= TOLERATED_SKEW_MS) return ok(`the clock agrees with ${where}`);
  const remedy = 'timedatectl; chronyc tracking (or the time service you use), on both nodes';
  return Math.abs(skewMs) >= FAILING_SKEW_MS
    ? fail(`this clock is ${size}`, remedy)
    : warn(`this clock is ${size}`, remedy);
}

/** The clocks of the other nodes' API servers. */
async function clocks({ readings, settings: { apiPort }, ...limits }: DoctorContext) {
  const peers = await readings.peers();
  const others = peers.kind === 'known' ? peers.peers.map(({ address }) => address) : [];
  const asked = others.map(async (host) => ({
    host,
    reading: await askReadyz({ host, port: apiPort }, limits),
  }));
  return read(await Promise.all(asked));
}

function pagePort({ program, port, flag = '--listen' }: ProgramPage): WantedPort {
  return {
    port,
    what: `page of hawser ${program}`,
    flag,
    scope: flag === '--listen' ? 'loopback' : 'all',
    isOurs: (process) => isHawser(process, program.split(' ')) && process.instance === undefined,
  };
}

function judgePorts(wanted: readonly WantedPort[], held: readonly HeldPort[]): readonly Finding[] {
  const findings = wanted.flatMap((want) =>
    held
      .filter(({ port, scope }) => port === want.port && (want.scope === 'all' || scope !== 'address'))
      .map(({ holder }) => judgeHolder(want, holder)),
  );
  const free = wanted.filter(({ port }) => held.every((each) => each.port !== port)).map(({ port }) => port);
  return [...(free.length === 0 ? [] : [ok(`free: ${free.join(', ')}`)]), ...findings];
}

function judgeHolder({ port, what, flag, isOurs }: WantedPort, holder: HostProcess | undefined): Finding {
  if (holder === undefined)
    return unknown(`port ${port} (${what}) is in use by a process that is not visible`, moreRights);
  if (isOurs(holder)) return ok(`${port} is used by ${holder.name} (pid ${holder.pid}), as expected`);
  return fail(
    `port ${port} (${what}) is used by ${holder.name} (pid ${holder.pid})`,
    `stop that program, or choose another port with ${flag} (see: ss -ltnp "sport = :${port}")`,
  );
}

export const settingsFileCheck: DoctorCheck = checkOf({
  id: 'settings-file',
  title: 'The settings file',
  why: 'No process of hawser starts with an invalid file. Running processes are affected at their next restart.',
  needs: { settings },
  unlessUnseen: ['skip'],
  judge: (facts) => judgeSettingsFile(facts.settings.settingsFile, facts.settings.outdated),
});

/** The check of the ports of all products and of the programs' own pages. */
export function portsCheck(products: readonly Pick<Product, 'ports'>[]): DoctorCheck {
  return checkOf({
    id: 'ports',
    title: "HAProxy's and hawser's ports",
    why: 'A new generation of HAProxy that cannot bind its ports is dropped, and its configuration never takes effect.',
    none: 'no port is used',
    needs: {
      ports: async ({ settings, files, readings }: DoctorContext) => {
        const ofProducts = products.flatMap((product) => product.ports(settings));
        const wanted = [...ofProducts, ...settings.pages.map(pagePort)];
        const numbers = wanted.map(({ port }) => port);
        return read({ wanted, held: await heldPorts(files, numbers, readings.processes) });
      },
    },
    judge: ({ ports: { wanted, held } }) => judgePorts(wanted, held),
  });
}

export const clusterChecks: readonly DoctorCheck[] = [
  checkOf({
    id: 'anonymous-readyz',
    title: '/readyz without credentials',
    why: "HAProxy's health check has no credentials. If the API server requires them, every server is down.",
    needs: { settings, local },
    judge: (facts) => judgeReadyz(facts.local, facts.settings.apiPort),
  }),
  checkOf({
    id: 'node-labels',
    title: 'Labels of the control plane',
    why: "HAProxy does not use a node without the label, and the node does not join the VIP's group.",
    needs: { settings, labels },
    judge: (facts) => judgeLabels(facts.labels, facts.settings),
  }),
  checkOf({
    id: 'clock',
    title: 'The clock',
    why: 'A wrong clock makes certificates and tokens invalid, and the timeline of an incident confusing.',
    needs: { clocks },
    none: 'no other node is known to compare with',
    judge: (facts) => facts.clocks.map(({ host, reading }) => judgeClock(host, reading)),
  }),
];

/** A listening socket and its process; undefined if the process is not visible. */
interface HeldPort {
  readonly port: number;
  /** The bind address: all addresses, a loopback address, or another single address. */
  readonly scope: 'all' | 'loopback' | 'address';
  readonly holder: HostProcess | undefined;
}

const LOOPBACK_6 = '00000000000000000000000001000000';
const MAPPED_LOOPBACK = /^0{16}FFFF0000[0-9A-F]{6}7F$/;

/** The scope of a bind address in the kernel's hexadecimal form. */
export function scopeOf(address: string): HeldPort['scope'] {
  if (/^0+$/.test(address)) return 'all';
  const isLoopback =
    /^[0-9A-F]{6}7F$/.test(address) || address === LOOPBACK_6 || MAPPED_LOOPBACK.test(address);
  return isLoopback ? 'loopback' : 'address';
}

/** The listeners on these ports, in this process's network namespace. */
async function heldPorts(
  files: HostFiles,
  ports: readonly number[],
  processes: () => Promise<readonly HostProcess[]>,
): Promise<readonly HeldPort[]> {
  const texts = await Promise.all(['tcp', 'tcp6'].map((name) => files.value(`/proc/net/${name}`)));
  const listeners = texts
    .flatMap((text) => parseListeners(text ?? ''))
    .filter(({ port }) => ports.includes(port));
  if (listeners.length === 0) return [];
  const holders = await holdersOf(files, new Set(listeners.map(({ inode }) => inode)), await processes());
  return listeners.map(({ address, port, inode }) => ({
    port,
    scope: scopeOf(address),
    holder: holders.get(inode),
  }));
}

/** The first process found for each socket. A master and its workers share their sockets. */
async function holdersOf(
  files: HostFiles,
  inodes: ReadonlySet<string>,
  processes: readonly HostProcess[],
): Promise<ReadonlyMap<string, HostProcess>> {
  const holders = new Map<string, HostProcess>();
  for (const process of processes) {
    if (holders.size === inodes.size) break;
    for (const inode of await socketsOf(files, process.pid))
      if (inodes.has(inode) && !holders.has(inode)) holders.set(inode, process);
  }
  return holders;
}

async function socketsOf(files: HostFiles, pid: number): Promise<readonly string[]> {
  const folder = `/proc/${pid}/fd`;
  const links = await Promise.all((await files.list(folder)).map((fd) => files.link(`${folder}/${fd}`)));
  return links.flatMap((link) => /^socket:\[(\d+)\]$/.exec(link ?? '')?.[1] ?? []);
}
