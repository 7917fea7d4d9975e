import { type Document, isSeq, parseDocument } from 'yaml';
import { containerOf, type Pod } from '../../cli/pod.ts';
import type { EffectivePod } from './effective-settings.ts';
import { type Credentials, layout } from './layout.ts';
import { type Path, probeAt, probesFollowPage } from './manifest-probes.ts';
import { checkResources } from './manifest-resources.ts';
import { applyPatch, type Patch } from './patches.ts';

interface ManifestSettings {
  readonly credentials: Credentials;
  readonly image: string;
  /** Of the operator: they come last. */
  readonly patches: readonly Patch[];
}

/** The kubelet starts a static pod again when anything in its manifest is different. */
const digestPath = ['metadata', 'annotations', 'hawser/settings'];

const HEADER = [
  ` Written by \`hawser install\` from the settings in ${layout.settings} and the patches of \`--patches\`: change those and`,
  ' type `hawser install` again. An edited manifest is kept, and keeps the next install from changing it.',
].join('\n');

/** One of `manifests/*.yaml` as a node gets it; comments stay. Throws where the text is not the manifest it should be. */
export function renderManifest(
  text: string,
  { pod, digest, probes, graceSeconds }: EffectivePod,
  settings: ManifestSettings,
): string {
  const document = parseDocument(text);
  document.commentBefore = HEADER;
  document.setIn(digestPath, digest);
  for (const each of containers(document)) set(document, [...each, 'image'], settings.image);
  for (const [name, page] of Object.entries(probes)) probeAt(document, container(document, name), page);
  if (graceSeconds !== undefined) set(document, ['spec', 'terminationGracePeriodSeconds'], graceSeconds);
  if (settings.credentials === 'kubelet') mountForMonitors(document, kubeletPki);
  const shipped = document.clone();
  for (const patch of settings.patches) if (patch.target === pod.name) applyPatch(document, patch);
  checkResources(document, pod.name, containers(document));
  probesFollowPage(document, shipped, pod.supervisor);
  monitorsFollowGroup(document, shipped, pod);
  return document.toString({ lineWidth: 0, flowCollectionPadding: false });
}

/**
 * The control socket of a supervisor that is not root is open to its group: the monitor is of the group that a patch gives the
 * supervisor (docs/internals/decisions/0026). A patch that names the monitor's has the last word about it.
 */
function monitorsFollowGroup(document: Document, shipped: Document, { daemons, supervisor }: Pod): void {
  const groupIn = (of: Document, name: string): unknown => {
    const path = containers(of).find((each) => of.getIn([...each, 'name']) === name);
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

const OWN_KUBECONFIG = '/etc/hawser/kubeconfig';

function container(document: Document, name: string): Path {
  const found = containers(document).find((path) => document.getIn([...path, 'name']) === name);
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

/** The folder of the kubelet's certificate, which is renewed by renaming. The kubelet may still have to make it. */
const kubeletPki = { name: 'kubelet-pki', path: '/var/lib/kubelet/pki', type: 'DirectoryOrCreate' } as const;

function mountForMonitors(document: Document, { name, path, type }: typeof kubeletPki): void {
  const users = containers(document).filter(
    (each) => document.getIn([...each, 'args', 2]) === OWN_KUBECONFIG,
  );
  const mount = { name, mountPath: path, readOnly: true };
  for (const each of users) document.addIn([...each, 'volumeMounts'], document.createNode(mount));
  document.addIn(['spec', 'volumes'], document.createNode({ name, hostPath: { path, type } }));
}

/** The image that a manifest names. */
export function imageOf(text: string): string {
  const document = parseDocument(text);
  return String(document.getIn([...(containers(document)[0] ?? []), 'image']));
}
