import { join } from 'node:path';
import type { Pod } from '../../cli/pod.ts';
import { settingsJsonSchema } from '../../cli/settings-form.ts';
import { clusterNameOf } from '../../engine/kube/control-plane/cluster-name.ts';
import { ConfigError, messageOf } from '../../engine/system/errors.ts';
import { shippedFile } from '../../engine/system/shipped-file.ts';
import { type EffectiveSettings, effectiveSettings, type Installable } from './effective-settings.ts';
import type { InstallSettings } from './install-settings.ts';
import { type Credentials, layout, podLayout } from './layout.ts';
import { imageOf, renderManifest } from './manifest.ts';
import { COMMAND_SOURCE, type NodeCommand, nodeCommand } from './node-command.ts';
import { readPatches } from './patches.ts';
import { fileState, type WantedFile } from './plan.ts';
import { type InstallRecord, parseRecord, whyNoRecord } from './record.ts';
import { type SettingsChange, settingsText } from './settings-text.ts';

/** What is on the node's disk before the install. */
export interface OnDisk {
  readonly record: InstallRecord | undefined;
  readonly settings: string | undefined;
  readonly authority: string | undefined;
  /** The state of the `hawser` script on the node. */
  readonly command: NodeCommand;
}

/** What an install would write, before anything was checked. */
export interface Draft extends Installable {
  readonly image: string;
  readonly credentials: Credentials;
  /** The folder of patches on the node. */
  readonly patches: string | undefined;
  readonly settings: EffectiveSettings;
  /** In the order of writing; the kubelet's manifests come last. */
  readonly support: readonly WantedFile[];
  readonly manifests: readonly WantedFile[];
}

/** Throws a ConfigError for a file that exists and cannot be read. */
export async function readDisk(root: string): Promise<OnDisk> {
  const problems: string[] = [];
  const read = async (path: string): Promise<string | undefined> => {
    const found = await fileState(join(root, path)).catch(messageOf);
    if (typeof found === 'string') problems.push(found);
    return typeof found === 'string' ? undefined : found?.content.toString('utf8');
  };
  const text = await read(layout.record);
  const record = text === undefined ? undefined : parseRecord(text);
  if (text !== undefined && record === undefined)
    problems.push(`${whyNoRecord(layout.record, text)}, or move the file away to start afresh`);
  const [settings, authority] = [await read(layout.settings), await read(layout.clusterAuthority)];
  if (problems.length > 0) throw new ConfigError(problems);
  const command = await nodeCommand(root, shippedFile(COMMAND_SOURCE));
  return { record, settings, authority, command };
}

/** Throws a ConfigError for settings that the daemons would refuse. */
export function draftInstall(asked: InstallSettings, disk: OnDisk, known: Installable): Draft {
  const { pods, keys } = known;
  const text = settingsText(disk.settings, changesFor(asked, disk));
  const settings = effectiveSettings(text, layout.settings, known);
  const image = asked.image ?? disk.record?.image ?? shippedImage(pods);
  const credentials = asked.credentials ?? credentialsBefore(disk.record);
  const folder = asked.patches ?? disk.record?.patches;
  const patches = folder === undefined ? [] : readPatches(join(asked.root, folder), folder, pods);
  const schema = `${JSON.stringify(settingsJsonSchema(keys), null, 2)}\n`;
  return {
    ...{ pods, keys, image, credentials, settings, patches: folder },
    support: [
      ...pods.map(podLayout).map(({ template, source }) => ({
        ...{ path: template, content: shippedFile(source.template), mode: 0o644 },
      })),
      { path: layout.schema, content: schema, mode: 0o644 },
      { path: layout.settings, content: text, mode: 0o644 },
      ...(disk.command.kind === 'wanted' ? [disk.command.file] : []),
    ],
    manifests: settings.pods.map((each) => {
      const { manifest, source } = podLayout(each.pod);
      const values = { image, credentials, patches };
      const content = renderManifest(shippedFile(source.manifest), each, values);
      return { path: manifest, content, mode: 0o600, stageIn: layout.kubernetes };
    }),
  };
}

/** A record without them is of an install with `own`. */
function credentialsBefore(record: OnDisk['record']): Credentials {
  return record === undefined ? 'kubelet' : (record.credentials ?? 'own');
}

/** The image that the manifests name as they are shipped. */
function shippedImage([first]: readonly Pod[]): string {
  return first === undefined ? '' : imageOf(shippedFile(podLayout(first).source.manifest));
}

/** Templates and manifests, which an operator may have edited, except pods of others in their place. */
export function ownTexts(draft: Draft, others: readonly string[]): readonly WantedFile[] {
  const taken = new Set(others);
  const templates = new Set(draft.pods.map((pod) => podLayout(pod).template));
  return [...draft.support.filter(({ path }) => templates.has(path)), ...draft.manifests].filter(
    ({ path }) => !taken.has(path),
  );
}

function changesFor(asked: InstallSettings, disk: OnDisk): readonly SettingsChange[] {
  const { apiVip, ingressVip, clusterName, firstNode } = asked;
  const flags: readonly SettingsChange[] = [
    { path: ['apiVips'], value: apiVip },
    { path: ['ingressVips'], value: ingressVip },
    { path: ['clusterName'], value: clusterName },
    { path: ['interface'], value: asked.interface },
    { path: ['keepalived', 'firstNode'], value: firstNode || undefined },
  ];
  // On a first install, settings that an operator wrote earlier count before our defaults.
  const defaults = disk.record === undefined ? firstDefaults(asked) : [];
  return [...flags, ...defaults].filter(({ value }) => value !== undefined);
}

function firstDefaults({ apiVip, ingressVip, clusterName }: InstallSettings): SettingsChange[] {
  const [vip] = [...(apiVip ?? []), ...(ingressVip ?? [])];
  // The router ids derive from the name. The kubeconfig that holds the name may not exist yet.
  return vip === undefined || clusterName !== undefined
    ? []
    : [{ path: ['clusterName'], value: clusterNameOf(vip), isDefault: true }];
}
