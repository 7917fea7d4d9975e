import { dirname, join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { Document, parseDocument } from 'yaml';
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
  journalFolder,
  layout,
  podLayout,
  unprivilegedId,
  type WantedFile,
} from './layout.ts';
import { imageOf, renderManifest } from './manifest.ts';
import { readPatches } from './patches.ts';
import { type InstallRecord, sha256 } from './record.ts';

/** The settings file as it will be, and what it means. */
export interface WantedSettings extends EffectiveSettings {
  readonly text: string;
  /** The name that was typed, or that the file has. */
  readonly givenName: string | undefined;
}

/** What an install would write, before it is compared with the disk. */
export interface Wanted {
  readonly settings: WantedSettings;
  readonly pods: readonly Pod[];
  readonly image: string;
  readonly credentials: Credentials;
  /** The folder of patches on the node. */
  readonly patches: string | undefined;
  /** In the order of writing; the kubelet's manifests come last. */
  readonly support: readonly WantedFile[];
  readonly manifests: readonly WantedFile[];
  /** What is left out, and why. */
  readonly notices: readonly string[];
}

/** Throws a ConfigError for settings that the daemons would refuse. */
export function wantSettings(asked: InstallSettings, disk: Disk, known: Installable): WantedSettings {
  const existing = textOn(disk, layout.settings);
  const text = settingsText(existing, changesFor(asked, disk));
  const inFile = fieldOf(parseDocument(existing ?? '').toJS(), 'clusterName');
  const givenName = asked.clusterName ?? (inFile === undefined ? undefined : String(inFile));
  return { ...effectiveSettings(text, layout.settings, known), text, givenName };
}

/** Reads the patches, and files of hawser itself. Throws a ConfigError for a patch that cannot be used. */
export function want(
  asked: InstallSettings,
  disk: Disk,
  known: Installable,
  settings: WantedSettings,
): Wanted {
  const { keys } = known;
  const pods = settings.pods.map(({ pod }) => pod);
  const { record } = disk;
  const image = asked.image ?? record?.image ?? shippedImage(pods);
  // A record without them is of an install with `own`.
  const credentials = asked.credentials ?? (record === undefined ? 'kubelet' : (record.credentials ?? 'own'));
  const folder = asked.patches ?? record?.patches;
  const patches = folder === undefined ? [] : readPatches(join(asked.root, folder), folder, known.pods);
  const schema = `${JSON.stringify(settingsJsonSchema(keys), null, 2)}\n`;
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

/** The record of these files: their checksums, and the folders that were made for them. */
export function recordOf(
  wanted: Wanted,
  directories: readonly string[],
  files: InstallRecord['files'],
): WantedFile {
  const { image, credentials, patches, settings } = wanted;
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

/** The image that the manifests name as they are shipped. */
function shippedImage([first]: readonly Pod[]): string {
  return first === undefined ? '' : imageOf(shippedFile(podLayout(first).source.manifest));
}

function changesFor(asked: InstallSettings, disk: Disk): readonly SettingsChange[] {
  const { apiVip, ingressVip, clusterName, firstNode, worker } = asked;
  const flags: readonly SettingsChange[] = [
    { path: ['apiVips'], value: apiVip },
    { path: ['ingressVips'], value: ingressVip },
    { path: ['clusterName'], value: clusterName },
    { path: ['interface'], value: asked.interface },
    { path: ['keepalived', 'firstNode'], value: firstNode || undefined },
    { path: ['worker'], value: worker || undefined },
  ];
  // On a first install, settings that an operator wrote earlier count before our defaults.
  const defaults = disk.record === undefined ? firstDefaults(asked) : [];
  return [...flags, ...defaults, ...(worker ? workerDefaults : [])].filter(
    ({ value }) => value !== undefined,
  );
}

const workerDefaults: readonly SettingsChange[] = [
  { path: ['lbPort'], value: defaultPorts.api, isDefault: true },
  // Its clients have no other HAProxy: while this one drains it refuses them.
  { path: ['haproxy', 'drainTimeout'], value: '5s', isDefault: true },
];

function firstDefaults({ apiVip, ingressVip, clusterName }: InstallSettings): SettingsChange[] {
  const [vip] = [...(apiVip ?? []), ...(ingressVip ?? [])];
  // The router ids derive from the name. The kubeconfig that holds the name may not exist yet.
  return vip === undefined || clusterName !== undefined
    ? []
    : [{ path: ['clusterName'], value: clusterNameOf(vip), isDefault: true }];
}

const printHeader = (isWorker: boolean): string =>
  [
    ` Written by \`hawser install --print\`: every file of a ${isWorker ? 'worker' : 'control-plane node'}. cloud-init takes it as it is; for Cluster API`,
    ` write_files is "files" of a ${isWorker ? 'KubeadmConfig' : 'KubeadmControlPlane'}, and runcmd its "preKubeadmCommands".`,
  ].join('\n');

/** Every file of an empty node as cloud-config, and the folder that contains none of them. */
export function printedFiles(wanted: Wanted): string {
  const files = [...wanted.support, ...wanted.manifests];
  const sums = files.map(({ path, content }) => ({ path, sha256: sha256(content) }));
  const all = [...wanted.support, recordOf(wanted, [], sums), ...wanted.manifests];
  const document = new Document({
    write_files: all.map(({ path, content, mode }) => ({
      path,
      owner: 'root:root',
      permissions: mode.toString(8).padStart(4, '0'),
      content,
    })),
    runcmd: [`install -d -m ${journalFolder.mode.toString(8)} -g ${unprivilegedId} ${journalFolder.path}`],
  });
  document.commentBefore = printHeader(wanted.settings.isWorker);
  return `#cloud-config\n${document.toString({ lineWidth: 0 })}`;
}

interface SettingsChange {
  readonly path: readonly string[];
  readonly value: unknown;
  /** Applies only if nothing is set: a value in the file stays. */
  readonly isDefault?: true;
}

const HEADER = [
  ' yaml-language-server: $schema=config.schema.json',
  " hawser's settings, on this node. `hawser settings` checks this file; after a change type `hawser install`.",
].join('\n');

/**
 * The text of the settings file with some values set. Everything else stays, comments and order included, because the
 * file belongs to the operator. Without a change the text is the same.
 */
function settingsText(existing: string | undefined, changes: readonly SettingsChange[]): string {
  const document = existing === undefined ? new Document({}) : parseDocument(existing);
  if (existing === undefined) document.commentBefore = HEADER;
  const now: unknown = document.toJS();
  const needed = changes.filter(({ path, value, isDefault }) => {
    const current = path.reduce(fieldOf, now);
    return isDefault ? current === undefined : !isDeepStrictEqual(current, value);
  });
  if (existing !== undefined && needed.length === 0) return existing;
  for (const { path, value } of needed) document.setIn(path, document.createNode(value, { flow: true }));
  return document.toString({ lineWidth: 0, flowCollectionPadding: false });
}

/** Its path below hawser's own folder. */
const COMMAND_SOURCE = 'bin/hawser-on-node';

/** The second line of every version of it. */
const MARK = '# hawser on a node:';

/**
 * The `hawser` that people type on a node, or why it is not written. The pods do not need it: where it cannot be written it is
 * left out, and what is not ours is never touched.
 */
function nodeCommand(disk: Disk): WantedFile | string {
  const path = layout.nodeCommand;
  const leftOut = (reason: string): string =>
    `${path} is not written: ${reason}; the commands can be typed as docs/install.md shows`;
  const isOurs = fileOn(disk, path)?.content.includes(`\n${MARK}`) ?? false;
  if (disk.at(path) !== undefined && !isOurs)
    return leftOut('it is there already, and is not of hawser install');
  const blocked = blockedBy(disk, dirname(path));
  return blocked === undefined
    ? { path, content: shippedFile(COMMAND_SOURCE), mode: 0o755 }
    : leftOut(`its folder cannot be written to (${blocked})`);
}

/** Folders that are missing are made; what counts is the nearest one that is there. */
function blockedBy(disk: Disk, folder: string): string | undefined {
  const entry = disk.at(folder);
  if (entry === undefined) return folder === '/' ? undefined : blockedBy(disk, dirname(folder));
  return entry.kind === 'folder' ? entry.blocked : 'ENOTDIR';
}
