import {
  type Finding,
  fail,
  moreRights,
  ok,
  skip,
  unknown,
  warn,
  worstOf,
} from '../../../engine/examine/check.ts';
import { type HostProcess, isHawser } from '../../../engine/examine/host-processes.ts';
import type { WantedPort } from '../../../engine/examine/wanted-port.ts';
import type { DoctorCheck, DoctorContext, DoctorSettings, ProgramPage } from '../look/context.ts';
import { type HeldPort, heldPorts } from '../look/listeners.ts';
import type { Product } from '../look/product.ts';

type PortsOf = Pick<Product, 'ports' | 'ofInstance'>;

function wantedPorts(products: readonly PortsOf[], settings: DoctorSettings): readonly WantedPort[] {
  const ofInstances = settings.instances.flatMap(({ name, settingsOf }) =>
    products
      .flatMap(({ ofInstance }) => ofInstance?.(settingsOf, settings).ports ?? [])
      .map((port) => ({ ...port, what: `${port.what} of instance ${name}` })),
  );
  const own = products.flatMap((product) => product.ports(settings));
  return [...own, ...ofInstances, ...settings.pages.map(pagePort)];
}

function pagePort({ program, instance, port }: ProgramPage): WantedPort {
  const what = `page of hawser ${program}${instance === undefined ? '' : ` --instance ${instance}`}`;
  return {
    ...{ port, what, flag: '--listen', scope: 'loopback' },
    isOurs: (process) => isHawser(process, program.split(' ')) && process.instance === instance,
  };
}

function judgePorts(wanted: readonly WantedPort[], held: readonly HeldPort[]): Finding {
  const findings = wanted.flatMap((want) =>
    held
      .filter(({ port, scope }) => port === want.port && (want.scope === 'all' || scope !== 'address'))
      .map(({ holder }) => judgeHolder(want, holder)),
  );
  const free = wanted.filter(({ port }) => held.every((each) => each.port !== port)).map(({ port }) => port);
  return worstOf(
    [...(free.length === 0 ? [] : [ok(`free: ${free.join(', ')}`)]), ...findings],
    'no port is used',
  );
}

function judgeHolder({ port, what, flag, isOurs }: WantedPort, holder: HostProcess | undefined): Finding {
  if (holder === undefined)
    return unknown(`port ${port} (${what}) is taken, and its holder cannot be seen`, moreRights);
  if (isOurs(holder)) return ok(`${port} is held by ${holder.name} (pid ${holder.pid}), as it should be`);
  return fail(
    `port ${port} (${what}) is held by ${holder.name} (pid ${holder.pid})`,
    `stop that program, or choose another port with ${flag} (see: ss -ltnp "sport = :${port}")`,
  );
}

const portsCheck = (products: readonly PortsOf[]): DoctorCheck => ({
  id: 'ports',
  title: "HAProxy's and our own ports",
  why: 'A new generation of HAProxy that cannot bind is given up: the change it was for never arrives.',
  run: async ({ settings, files, readings }) => {
    const wanted = wantedPorts(products, settings);
    const held = await heldPorts(
      files,
      wanted.map(({ port }) => port),
      readings.processes,
    );
    return judgePorts(wanted, held);
  },
});

function judgeApiPort(port: number, held: readonly HeldPort[], isInstalled: boolean): Finding {
  if (held.length === 0 && !isInstalled) return skip('no API server is installed here yet');
  if (held.length === 0)
    return warn(
      `nothing listens on ${port} here`,
      'look at the API server: crictl ps -a --name kube-apiserver',
    );
  const haproxy = held.find(({ holder }) => holder?.name === 'haproxy')?.holder;
  if (haproxy !== undefined)
    return fail(
      `HAProxy (pid ${haproxy.pid}) has the API server's own port ${port}`,
      `let HAProxy listen elsewhere (--lb-port 9445); the redirect leads VIP:${port} to it`,
    );
  const names = held.flatMap(({ holder }) =>
    holder === undefined ? [] : `${holder.name} (pid ${holder.pid})`,
  );
  return ok(
    `${port} is held by ${[...new Set(names)].join(', ') || 'a program that cannot be seen from here'}`,
  );
}

const apiPort: DoctorCheck = {
  id: 'api-port',
  title: "The API server's port",
  why: 'The API server and HAProxy on one port exclude each other: the second one to start fails.',
  run: async ({ settings, files, readings }) => {
    const held = await heldPorts(files, [settings.apiPort], readings.processes);
    const manifest = await files.read(`${settings.manifests}/kube-apiserver.yaml`);
    return judgeApiPort(settings.apiPort, held, manifest.kind !== 'missing');
  },
};

/** `ip_local_port_range` (`32768\t60999`), and `ip_local_reserved_ports` (`29446-29450,9444`). */
function judgeReserved(wanted: readonly number[], range: string | undefined, reserved: string): Finding {
  const [first = 0, last = 0] = (range ?? '').split(/\s+/).map(Number);
  if (first === 0 || last === 0)
    return unknown('ip_local_port_range cannot be read', 'run this on the node itself');
  const spared = reserved.split(',').map((part) => part.split('-').map(Number));
  const isSpared = (port: number): boolean =>
    spared.some(([from = 0, to = from]) => port >= from && port <= to);
  const exposed = wanted
    .filter((port) => port >= first && port <= last && !isSpared(port))
    .toSorted((one, other) => one - other);
  if (exposed.length === 0) return ok(`none of ${wanted.join(', ')} is given to clients (${first}-${last})`);
  const line = [reserved, ...exposed].filter((part) => part !== '').join(',');
  return warn(
    `${exposed.join(', ')} may be given to any client of this node (${first}-${last})`,
    `sysctl -w net.ipv4.ip_local_reserved_ports=${line} (and in /etc/sysctl.d/)`,
  );
}

const reservedPorts = (products: readonly PortsOf[]): DoctorCheck => ({
  id: 'reserved-ports',
  title: 'Ports that clients may take',
  why: 'An outgoing connection may own such a port for as long as it lives; HAProxy or the API server then cannot start.',
  run: async (context) => {
    const [range, reserved = ''] = await Promise.all(
      ['ip_local_port_range', 'ip_local_reserved_ports'].map((name) => ipv4(context, name)),
    );
    const own = wantedPorts(products, context.settings).map(({ port }) => port);
    // HAProxy and the monitors ask the API server while it is down, and so may get its port.
    return judgeReserved([...new Set([...own, context.settings.apiPort])], range, reserved);
  },
});

async function ipv4({ files }: DoctorContext, name: string): Promise<string | undefined> {
  return await files.value(`/proc/sys/net/ipv4/${name}`);
}

/** The ports of all products, and of the programs' own pages. */
export function portChecks(products: readonly PortsOf[]): readonly DoctorCheck[] {
  return [portsCheck(products), apiPort, reservedPorts(products)];
}
