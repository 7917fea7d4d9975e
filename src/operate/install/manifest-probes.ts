import type { Document } from 'yaml';

export type Path = readonly (string | number)[];

/** Where a program answers `/healthz`. */
export interface Page {
  readonly host: string;
  readonly port: number;
}

/** The page of keepalived's supervisor if its container is started like this; undefined where that runs another program. */
export type SupervisorPage = (
  args: readonly string[],
  env: Readonly<Record<string, string>>,
) => Page | 'off' | undefined;

const kinds = ['startupProbe', 'livenessProbe', 'readinessProbe'] as const;
/** The ways in which a probe can ask. */
const handlers = ['httpGet', 'exec', 'tcpSocket', 'grpc'] as const;

/** Has every HTTP probe of a container ask there. Throws where it has no liveness probe of that kind. */
export function probeAt(
  document: Document,
  container: Path,
  { host, port }: Partial<Page>,
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
 * The page of keepalived's supervisor is set by the arguments of its container, and so by a patch: the probes ask where it is.
 * Where it is off, the command asks the control socket; a readiness probe would start a Node every ten seconds besides, so
 * there is none. A patch that changes how a probe asks has the last word about that probe.
 */
export function probesFollowPage(document: Document, shipped: Document, pageOf: SupervisorPage): void {
  const [container, before] = [keepalivedIn(document), keepalivedIn(shipped)];
  if (container === undefined || before === undefined) return;
  const following = kinds.filter((kind) =>
    handlers.every(
      (how) => textAt(document, [...container, kind, how]) === textAt(shipped, [...before, kind, how]),
    ),
  );
  const { args = [], env = [] }: Started = document.toJS().spec.containers[container[2]];
  const page = pageOf(args, Object.fromEntries(env.map(({ name, value }) => [name, value ?? ''])));
  if (page === undefined || following.length === 0) return;
  if (page === 'off') probeByCommand(document, container, following);
  else probeAt(document, container, page, following);
}

function probeByCommand(document: Document, container: Path, which: readonly string[]): void {
  for (const kind of which) document.deleteIn([...container, kind]);
  if (!which.includes('livenessProbe')) return;
  const exec = { command: ['hawser', 'keepalived', 'status', '--alive'] };
  const probe = document.createNode({ initialDelaySeconds: 10, timeoutSeconds: 5, exec });
  document.setIn([...container, 'livenessProbe'], probe);
}

interface Started {
  readonly args?: readonly string[];
  readonly env?: readonly { readonly name: string; readonly value?: string }[];
}

function keepalivedIn(document: Document): readonly ['spec', 'containers', number] | undefined {
  const containers: readonly { readonly name?: string }[] = document.toJS().spec?.containers ?? [];
  const index = containers.findIndex(({ name }) => name === 'keepalived');
  return index === -1 ? undefined : ['spec', 'containers', index];
}

function textAt(document: Document, path: Path): string {
  return JSON.stringify(document.getIn(path) ?? null);
}
