import { type Finding, fail, moreRights, ok, unknown, worstOf } from '../../../engine/examine/check.ts';
import { type HostProcess, isHawser } from '../../../engine/examine/host-processes.ts';
import type { WantedPort } from '../../../engine/examine/wanted-port.ts';
import type { DoctorCheck, DoctorSettings, ProgramPage } from '../look/context.ts';
import { type HeldPort, heldPorts } from '../look/listeners.ts';
import type { Product } from '../look/product.ts';

type PortsOf = Pick<Product, 'ports'>;

function wantedPorts(products: readonly PortsOf[], settings: DoctorSettings): readonly WantedPort[] {
  return [...products.flatMap((product) => product.ports(settings)), ...settings.pages.map(pagePort)];
}

function pagePort({ program, port }: ProgramPage): WantedPort {
  return {
    ...{ port, what: `page of hawser ${program}`, flag: '--listen', scope: 'loopback' },
    isOurs: (process) => isHawser(process, program.split(' ')) && process.instance === undefined,
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
  why: 'A new generation of HAProxy that cannot bind is dropped, and its change never arrives.',
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

/** The ports of all products, and of the programs' own pages. */
export function portChecks(products: readonly PortsOf[]): readonly DoctorCheck[] {
  return [portsCheck(products)];
}
