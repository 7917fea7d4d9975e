import { dirname, join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { Document, isScalar, parseDocument } from 'yaml';
import { parseSettingsFile } from '../../cli/parse-settings-file.ts';
import type { Pod } from '../../cli/pod.ts';
import { settingsJsonSchema } from '../../cli/settings-form.ts';
import { defaultPorts } from '../../cli/shared-flags.ts';
import { clusterNameOf } from '../../engine/kube/control-plane/cluster-name.ts';
import { fieldOf } from '../../engine/system/field-of.ts';
import { shippedFile } from '../../engine/system/shipped-file.ts';
import { type Disk, fileOn, textOn } from './disk.ts';
import {
  type EffectiveSettings,
  effectiveSettings,
  type Installable,
  portsOf,
} from './effective-settings.ts';
import type { InstallSettings } from './install-settings.ts';
import {
  type Credentials,
  type DesiredFile,
  journalFolder,
  layout,
  podLayout,
  unprivilegedId,
} from './layout.ts';
import { imageOf, renderManifest } from './manifest.ts';
import { readPatches } from './patches.ts';
import { credentialsOf, type InstallRecord, sha256 } from './record.ts';

/** The settings file as it will be written, and its effective settings. */
export interface DesiredSettings extends EffectiveSettings {
  readonly text: string;
  /** The cluster name from the flag or from the existing file. */
  readonly givenName: string | undefined;
}

/** The files that an install would write, before they are compared with the disk. */
export interface DesiredInstall {
  readonly settings: DesiredSettings;
  readonly pods: readonly Pod[];
  readonly image: string;
  readonly credentials: Credentials;
  /** The folder of patches on the node. */
  readonly patches: string | undefined;
  /** In the order of writing; the kubelet's manifests come last. */
  readonly support: readonly DesiredFile[];
  readonly manifests: readonly DesiredFile[];
  /** What is omitted, and why. */
  readonly notices: readonly string[];
}

/** Returns the settings file with the values of the flags. Throws a ConfigError for settings that the daemons would refuse. */
export function desiredSettings(
  options: InstallSettings,
  disk: Disk,
  installable: Installable,
): DesiredSettings {
  const existing = textOn(disk, layout.settings);
  const text = settingsText(existing, changesFor(options, disk));
  const parsed = parseSettingsFile(existing ?? '', layout.settings, installable.keys);
  const inFile = parsed.kind === 'problems' ? undefined : parsed.values.top['clusterName']?.value;
  const givenName = options.clusterName ?? (inFile === undefined ? undefined : String(inFile));
  return { ...effectiveSettings(text, installable), text, givenName };
}

/** Returns all files to install. Reads the patches and files of hawser itself. Throws a ConfigError for an invalid patch. */
export function desiredInstall(
  options: InstallSettings,
  disk: Disk,
  installable: Installable,
  settings: DesiredSettings,
): DesiredInstall {
  const pods = settings.pods.map(({ pod }) => pod);
  const { record } = disk;
  const image = options.image ?? record?.image ?? shippedImage(pods);
  const credentials = options.credentials ?? (record === undefined ? 'kubelet' : credentialsOf(record));
  const folder = options.patches ?? record?.patches;
  const patches =
    folder === undefined ? [] : readPatches(join(options.root, folder), folder, installable.pods);
  const schema = `${JSON.stringify(settingsJsonSchema(installable.keys), null, 2)}\n`;
  const command = nodeCommand(disk);
  return {
    settings,
    pods,
    image,
    credentials,
    patches: folder,
    notices: typeof command === 'string' ? [command] : [],
    support: [
      ...pods.map(podLayout).map(({ template, source: from }) => ({
        path: template,
        content: shippedFile(from.template),
        mode: 0o644,
      })),
      { path: layout.schema, content: schema, mode: 0o644 },
      { path: layout.settings, content: settings.text, mode: 0o644 },
      ...(typeof command === 'string' ? [] : [command]),
    ],
    manifests: settings.pods.map((each) => {
      const { manifest, source: from } = podLayout(each.pod);
      const content = renderManifest(shippedFile(from.manifest), each, { image, credentials, patches });
      return { path: manifest, content, mode: 0o600, stageIn: layout.kubernetes };
    }),
  };
}

/** The install record: these files with their checksums, and the folders that were created for them. */
export function recordOf(
  desired: DesiredInstall,
  directories: readonly string[],
  files: InstallRecord['files'],
): DesiredFile {
  const { image, credentials, patches, settings } = desired;
  const record: InstallRecord = {
    version: 1,
    image,
    ...(credentials === 'own' ? {} : { credentials }),
    vips: [...settings.vips.all],
    ports: portsOf(settings).map(({ port }) => port),
    ...(patches === undefined ? {} : { patches }),
    directories: [...directories],
    files,
  };
  return { path: layout.record, content: `${JSON.stringify(record, null, 2)}\n`, mode: 0o644 };
}

/** The image in the shipped manifests. */
function shippedImage([first]: readonly Pod[]): string {
  return first === undefined ? '' : imageOf(shippedFile(podLayout(first).source.manifest));
}

function changesFor(options: InstallSettings, disk: Disk): readonly SettingsChange[] {
  const { apiVip, ingressVip, clusterName, firstNode, worker } = options;
  const flags: readonly SettingsChange[] = [
    { path: ['apiVips'], value: apiVip },
    { path: ['ingressVips'], value: ingressVip },
    { path: ['clusterName'], value: clusterName },
    { path: ['interface'], value: options.interface },
    { path: ['keepalived', 'firstNode'], value: firstNode || undefined },
    { path: ['worker'], value: worker || undefined },
  ];
  // On a first install, settings that an operator wrote earlier take precedence over the defaults.
  const defaults = disk.record === undefined ? firstDefaults(options) : [];
  return [...flags, ...defaults, ...(worker ? workerDefaults : [])].filter(
    ({ value }) => value !== undefined,
  );
}

const workerDefaults: readonly SettingsChange[] = [
  { path: ['lbPort'], value: defaultPorts.api, isDefault: true },
  // A worker's clients have no other HAProxy, and are refused while it drains.
  { path: ['haproxy', 'drainTimeout'], value: '5s', isDefault: true },
];

function firstDefaults({ apiVip, ingressVip, clusterName }: InstallSettings): SettingsChange[] {
  const [vip] = [...(apiVip ?? []), ...(ingressVip ?? [])];
  // The virtual router ids derive from the cluster name, and the kubeconfig with that name may not exist yet.
  return vip === undefined || clusterName !== undefined
    ? []
    : [{ path: ['clusterName'], value: clusterNameOf(vip), isDefault: true }];
}

const printHeader = (isWorker: boolean): string =>
  [
    ` Written by \`hawser install --print\`: all files of a ${isWorker ? 'worker' : 'control-plane node'}. cloud-init uses it unchanged; for Cluster API`,
    ` write_files is "files" of a ${isWorker ? 'KubeadmConfig' : 'KubeadmControlPlane'}, and runcmd its "preKubeadmCommands".`,
  ].join('\n');

/** All files of a new node as cloud-config, with a command that creates the journal folder, which contains no file. */
export function printedFiles(desired: DesiredInstall): string {
  const files = [...desired.support, ...desired.manifests];
  const sums = files.map(({ path, content }) => ({ path, sha256: sha256(content) }));
  const all = [...desired.support, recordOf(desired, [], sums), ...desired.manifests];
  const document = new Document({
    write_files: all.map(({ path, content, mode }) => ({
      path,
      owner: 'root:root',
      permissions: mode.toString(8).padStart(4, '0'),
      content,
    })),
    runcmd: [`install -d -m ${journalFolder.mode.toString(8)} -g ${unprivilegedId} ${journalFolder.path}`],
  });
  document.commentBefore = printHeader(desired.settings.isWorker);
  return `#cloud-config\n${document.toString({ lineWidth: 0 })}`;
}

interface SettingsChange {
  readonly path: readonly string[];
  readonly value: unknown;
  /** Applies only if the file has no value. */
  readonly isDefault?: true;
}

const HEADER = [
  ' yaml-language-server: $schema=config.schema.json',
  " hawser's settings on this node. `hawser settings` checks this file; after a change run `hawser install`.",
].join('\n');

/**
 * Returns the text of the settings file with these values set. Everything else is unchanged, including comments and order, because
 * the file belongs to the operator.
 */
function settingsText(existing: string | undefined, changes: readonly SettingsChange[]): string {
  const document = existing === undefined ? new Document({}) : parseDocument(existing);
  if (existing === undefined) document.commentBefore = HEADER;
  // parseSettingsFile reports the errors with their lines.
  if (existing !== undefined && document.errors.length > 0) return existing;
  const now: unknown = document.toJS();
  const needed = changes.filter(({ path, value, isDefault }) => {
    const current = path.reduce(fieldOf, now);
    return isDefault ? current === undefined : !isDeepStrictEqual(current, value);
  });
  if (existing !== undefined && needed.length === 0) return existing;
  for (const { path, value } of needed) {
    const [section = ''] = path;
    // A section in which everything is commented out is null.
    const node = path.length > 1 ? document.get(section, true) : undefined;
    if (isScalar(node) && node.value === null) {
      const { comment, commentBefore } = node;
      document.set(section, Object.assign(document.createNode({}), { comment, commentBefore }));
    }
    document.setIn(path, document.createNode(value, { flow: true }));
  }
  return document.toString({ lineWidth: 0, flowCollectionPadding: false });
}

/** The path of the node command below hawser's own folder. */
const COMMAND_SOURCE = 'bin/hawser-on-node';

/** The second line of every version of the node command. */
const MARK = '# hawser on a node:';

/**
 * Returns the command `hawser` for operators on the node, or the reason why it is not written. It is optional, because the pods do not need
 * it. A file that hawser did not write is never replaced.
 */
function nodeCommand(disk: Disk): DesiredFile | string {
  const path = layout.nodeCommand;
  const omitted = (reason: string): string =>
    `${path} is not written: ${reason}; copy /opt/hawser/bin/hawser-on-node from the image to another directory in the PATH`;
  const isOurs = fileOn(disk, path)?.content.includes(`\n${MARK}`) ?? false;
  if (disk.at(path) !== undefined && !isOurs)
    return omitted('the file exists, and hawser install did not write it');
  const blocked = blockedBy(disk, dirname(path));
  return blocked === undefined
    ? { path, content: shippedFile(COMMAND_SOURCE), mode: 0o755 }
    : omitted(`its folder is not writable (${blocked})`);
}

/** Why a folder is not writable; for a missing folder, why its nearest existing parent is not. */
function blockedBy(disk: Disk, folder: string): string | undefined {
  const entry = disk.at(folder);
  if (entry === undefined) return folder === '/' ? undefined : blockedBy(disk, dirname(folder));
  return entry.kind === 'folder' ? entry.blocked : 'ENOTDIR';
}
