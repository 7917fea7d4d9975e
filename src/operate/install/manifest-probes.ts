import type { Document } from 'yaml';
import { containerOf, type Pod } from '../../cli/pod.ts';
import { supervisorPage } from './supervisor-pages.ts';

export type Path = readonly (string | number)[];

const kinds = ['startupProbe', 'livenessProbe', 'readinessProbe'] as const;
/** The ways in which a probe can ask. */
const handlers = ['httpGet', 'exec', 'tcpSocket', 'grpc'] as const;

/** Has every HTTP probe of a container ask there. Throws where it has no liveness probe of that kind. */
export function probeAt(
  document: Document,
  container: Path,
  { host, port }: { readonly host?: string; readonly port: number },
  which: readonly string[] = kinds,
): void {
  if (!document.hasIn([...container, 'livenessProbe', 'httpGet', 'port']))
    throw new Error(
      'Cannot use the manifest: a container has no HTTP probe, expected the one that came with hawser',
    );
  for (const kind of which) {
    const ask = [...container, kind, 'httpGet'];
    if (!document.hasIn(ask)) continue;
    document.setIn([...ask, 'port'], port);
    if (host !== undefined) document.setIn([...ask, 'host'], host);
  }
}

/**
 * The page of a supervisor is set by the arguments of its container, and so by a patch: the probes ask where it is.
 * Where it is off, the command asks the control socket; a readiness probe would start a Node every ten seconds besides, so
 * there is none. Without `alive` the probes ask the program itself. A patch that changes how a probe asks has the last word about that probe.
 */
export function probesFollowPage(document: Document, shipped: Document, supervisor: Pod['supervisor']): void {
  const { alive, spec } = supervisor;
  const [container, before] = [document, shipped].map((each) => containerIn(each, containerOf(spec)));
  if (alive === undefined || container === undefined || before === undefined) return;
  const following = kinds.filter((kind) =>
    handlers.every(
      (how) => textAt(document, [...container, kind, how]) === textAt(shipped, [...before, kind, how]),
    ),
  );
  const { args = [], env = [] }: Started = document.toJS().spec.containers[container[2]];
  const page = supervisorPage(
    supervisor,
    args,
    Object.fromEntries(env.map(({ name, value }) => [name, value ?? ''])),
  );
  if (page === undefined || following.length === 0) return;
  if (page === 'off') probeByCommand(document, container, following, alive);
  else probeAt(document, container, page, following);
}

function probeByCommand(
  document: Document,
  container: Path,
  which: readonly string[],
  alive: readonly string[],
): void {
  for (const kind of which) document.deleteIn([...container, kind]);
  if (!which.includes('livenessProbe')) return;
  const exec = { command: ['hawser', ...alive] };
  const probe = document.createNode({ initialDelaySeconds: 10, timeoutSeconds: 5, exec });
  document.setIn([...container, 'livenessProbe'], probe);
}

interface Started {
  readonly args?: readonly string[];
  readonly env?: readonly { readonly name: string; readonly value?: string }[];
}

function containerIn(
  document: Document,
  wanted: string,
): readonly ['spec', 'containers', number] | undefined {
  const containers: readonly { readonly name?: string }[] = document.toJS().spec?.containers ?? [];
  const index = containers.findIndex(({ name }) => name === wanted);
  return index === -1 ? undefined : ['spec', 'containers', index];
}

function textAt(document: Document, path: Path): string {
  return JSON.stringify(document.getIn(path) ?? null);
}
