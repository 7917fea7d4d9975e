import { type Document, isSeq, parseDocument } from 'yaml';
import { containerOf, type Pod } from '../../cli/pod.ts';
import { ConfigError } from '../../engine/system/errors.ts';
import type { EffectivePod } from './effective-settings.ts';
import { type Credentials, layout } from './layout.ts';
import { containersIn } from './manifest-containers.ts';
import { applyPatch, type Patch, type Path } from './patches.ts';
import { supervisorPage } from './supervisor-pages.ts';

interface ManifestSettings {
  readonly credentials: Credentials;
  readonly image: string;
  /** The operator's patches, applied last. */
  readonly patches: readonly Patch[];
}

/** The kubelet restarts a static pod when anything in its manifest changes. */
const digestPath = ['metadata', 'annotations', 'hawser/settings'];

const HEADER = [
  ` Written by \`hawser install\` from the settings in ${layout.settings} and the patches of \`--patches\`: change those and`,
  ' run `hawser install` again. An edited manifest is kept, and prevents the next install from changing it.',
].join('\n');

/** Renders one of `manifests/*.yaml` for a node. Comments are kept. Throws if the text is not the manifest that came with hawser. */
export function renderManifest(
  text: string,
  { pod, digest, probes, graceSeconds, unprivileged = [] }: EffectivePod,
  settings: ManifestSettings,
): string {
  const document = parseDocument(text);
  document.commentBefore = HEADER;
  document.setIn(digestPath, digest);
  for (const each of containers(document)) set(document, [...each, 'image'], settings.image);
  for (const [name, page] of Object.entries(probes)) probeAt(document, container(document, name), page);
  if (graceSeconds !== undefined) set(document, ['spec', 'terminationGracePeriodSeconds'], graceSeconds);
  for (const name of unprivileged)
    document.deleteIn([...container(document, name), 'securityContext', 'capabilities', 'add']);
  if (settings.credentials === 'kubelet') mountKubeletPki(document);
  const shipped = document.clone();
  for (const patch of settings.patches) if (patch.target === pod.name) applyPatch(document, patch);
  checkResources(document, pod.name);
  probesFollowPage(document, shipped, pod.supervisor);
  monitorsFollowGroup(document, shipped, pod);
  return document.toString({ lineWidth: 0, flowCollectionPadding: false });
}

/**
 * The control socket of a supervisor that does not run as root is accessible to its group, so the monitor gets the group that a patch sets
 * for the supervisor (docs/internals/decisions/0026). A patch that sets the monitor's group takes precedence.
 */
function monitorsFollowGroup(document: Document, shipped: Document, { daemons, supervisor }: Pod): void {
  const groupIn = (of: Document, name: string): unknown => {
    const path = findContainer(of, name);
    return path && of.getIn([...path, 'securityContext', 'runAsGroup']);
  };
  const group = groupIn(document, containerOf(supervisor.spec));
  if (group === undefined) return;
  for (const monitor of daemons.filter((spec) => spec !== supervisor.spec).map(containerOf)) {
    const before = groupIn(shipped, monitor);
    if (before === undefined || groupIn(document, monitor) !== before) continue;
    document.setIn([...container(document, monitor), 'securityContext', 'runAsGroup'], group);
  }
}

function findContainer(document: Document, name: string): Path | undefined {
  return containers(document).find((path) => document.getIn([...path, 'name']) === name);
}

function container(document: Document, name: string): Path {
  const found = findContainer(document, name);
  if (found === undefined)
    throw new Error(`Cannot use the manifest: there is no container "${name}", expected one`);
  return found;
}

function containers(document: Document): readonly Path[] {
  const list = document.getIn(['spec', 'containers']);
  return isSeq(list) ? list.items.map((_, index) => ['spec', 'containers', index]) : [];
}

function set(document: Document, path: Path, value: string | number): void {
  if (!document.hasIn(path))
    throw new Error(
      `Cannot use the manifest: it has no ${path.join('.')}, expected the one that came with hawser`,
    );
  document.setIn(path, value);
}

/** Mounts the folder of the kubelet's certificate, since a renewal replaces the file. The folder may not exist yet. */
function mountKubeletPki(document: Document): void {
  const name = 'kubelet-pki';
  const path = '/var/lib/kubelet/pki';
  const mount = { name, mountPath: path, readOnly: true };
  for (const each of containers(document))
    if (document.getIn([...each, 'args', 2]) === layout.kubeconfig)
      document.addIn([...each, 'volumeMounts'], document.createNode(mount));
  const hostPath = { path, type: 'DirectoryOrCreate' };
  document.addIn(['spec', 'volumes'], document.createNode({ name, hostPath }));
}

/** The image of a manifest's first container. */
export function imageOf(text: string): string {
  const document = parseDocument(text);
  return String(document.getIn([...(containers(document)[0] ?? []), 'image']));
}

const FACTORS: Readonly<Record<string, number>> = {
  n: 1e-9,
  u: 1e-6,
  m: 1e-3,
  '': 1,
  k: 1e3,
  M: 1e6,
  G: 1e9,
  T: 1e12,
  P: 1e15,
  E: 1e18,
  Ki: 2 ** 10,
  Mi: 2 ** 20,
  Gi: 2 ** 30,
  Ti: 2 ** 40,
  Pi: 2 ** 50,
  Ei: 2 ** 60,
};
const QUANTITY = /^\+?(\d+(?:\.\d*)?|\.\d+)(?:[eE]([+-]?\d+)|([numkMGTPE]|[KMGTPE]i)?)$/;

/** The value of a Kubernetes quantity such as `250m` or `128Mi`; undefined if it is invalid or negative. */
export function quantityOf(value: unknown): number | undefined {
  const [, digits, exponent, suffix = ''] = QUANTITY.exec(String(value)) ?? [];
  const factor = exponent === undefined ? FACTORS[suffix] : 10 ** Number(exponent);
  return digits === undefined || factor === undefined ? undefined : Number(digits) * factor;
}

/**
 * Throws a ConfigError that lists invalid quantities and limits below their requests. The kubelet would refuse the new pod after it
 * has stopped the old one.
 */
export function checkResources(document: Document, pod: string): void {
  const problems = containers(document).flatMap((path) => {
    const container = String(document.getIn([...path, 'name']));
    return ['cpu', 'memory', 'ephemeral-storage'].flatMap((resource) => {
      const [request, limit] = ['requests', 'limits'].map((kind) => ({
        key: `resources.${kind}.${resource}`,
        value: document.getIn([...path, 'resources', kind, resource]),
      }));
      const given = [request, limit].filter((each) => each !== undefined && each.value !== undefined);
      const wrong = given.find((each) => quantityOf(each?.value) === undefined);
      const where = `of container "${container}" in pod "${pod}"`;
      if (wrong !== undefined)
        return [
          `Cannot use ${wrong.key} "${wrong.value}" ${where}: it is not a quantity such as 250m or 128Mi`,
        ];
      const [requested, limited] = given.map((each) => quantityOf(each?.value));
      if (requested === undefined || limited === undefined || limited >= requested) return [];
      return [
        `Cannot use ${limit?.key} "${limit?.value}" ${where}: it is below the request (${request?.value}), and the kubelet would refuse the pod; raise the limit, or lower ${request?.key}`,
      ];
    });
  });
  if (problems.length > 0) throw new ConfigError(problems);
}

const kinds = ['startupProbe', 'livenessProbe', 'readinessProbe'] as const;
/** The kinds of probes. */
const handlers = ['httpGet', 'exec', 'tcpSocket', 'grpc'] as const;

/** Sets the address of a container's HTTP probes. Throws if the container has no HTTP liveness probe. */
function probeAt(
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
    const handler = [...container, kind, 'httpGet'];
    if (!document.hasIn(handler)) continue;
    document.setIn([...handler, 'port'], port);
    if (host !== undefined) document.setIn([...handler, 'host'], host);
  }
}

/**
 * Points the probes at the page of the supervisor, whose address a patch can change through the container's arguments.
 * If the page is off, the liveness probe runs the command `alive`, which uses the control socket, and the other probes are removed, since a
 * readiness probe would start a Node process every ten seconds. Without `alive` the probes are unchanged, because they ask the program itself.
 * A patch that changes a probe's handler takes precedence for that probe.
 */
function probesFollowPage(document: Document, shipped: Document, supervisor: Pod['supervisor']): void {
  const { alive, spec } = supervisor;
  const [container, before] = [document, shipped].map((each) => findContainer(each, containerOf(spec)));
  if (alive === undefined || container === undefined || before === undefined) return;
  const following = kinds.filter((kind) =>
    handlers.every(
      (how) => textAt(document, [...container, kind, how]) === textAt(shipped, [...before, kind, how]),
    ),
  );
  const started = containersIn(document.toJS())[Number(container.at(-1))];
  const page = started && supervisorPage(supervisor, started.args, started.env);
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

function textAt(document: Document, path: Path): string {
  return JSON.stringify(document.getIn(path) ?? null);
}
