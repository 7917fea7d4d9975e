import {
  type KeepalivedMonitorSettings,
  keepalivedSettings,
} from '../../config/keepalived-monitor-settings.ts';
import { createKeepalivedCheck } from '../../keepalived/check-configuration.ts';
import { clusterNameOf } from '../../model/cluster-name.ts';
import { messageOf } from '../../model/errors.ts';
import { mergeNodes } from '../../model/merge-nodes.ts';
import { parseAddress } from '../../model/node-address.ts';
import type { VipKind, VrrpInput } from '../../model/vrrp.ts';
import { buildKeepalivedModel } from '../../render/keepalived-model.ts';
import { renderKeepalived } from '../../render/render-keepalived.ts';
import { openKubeconfig } from '../../sources/kubeconfig.ts';
import { nodeListPath } from '../../sources/last-known.ts';
import { currentInterfaces, currentRoutes } from '../../system/routes.ts';
import { runCommand } from '../../system/run-command.ts';
import { nodeLookup } from '../keepalived/node-lists.ts';
import { readTemplate } from '../monitor/template-file.ts';
import { dialectNow } from './dialect-now.ts';
import type { FileQuestion } from './haproxy-file.ts';
import { type ListNow, listNow } from './lists-now.ts';
import { type ProposedFile, propose, refusedFile, unknownFile } from './proposed-file.ts';
import { textOf } from './text-of.ts';

const CHECK_TIMEOUT_MS = 20_000;

export interface ProposedKeepalivedFile extends ProposedFile {
  /** Nobody would be there to share the VIPs with; undefined where that is not known. */
  readonly isAlone: boolean | undefined;
}

/** keepalived.conf as the monitor would write it now. */
export async function proposeKeepalivedFile(
  ask: FileQuestion<KeepalivedMonitorSettings>,
): Promise<ProposedKeepalivedFile> {
  const { daemon, settings, livePath } = ask;
  const file = {
    program: 'keepalived',
    path: livePath,
    before: await textOf(daemon.at(livePath)),
  } as const;
  const input = await inputNow(ask).catch(messageOf);
  if (typeof input === 'string') return { ...unknownFile(file, input), isAlone: undefined };
  const built = buildKeepalivedModel(input);
  if (built.kind === 'not-ready') {
    const message = `This node would not take part: ${built.reason}`;
    return { ...refusedFile(file, message), isAlone: undefined };
  }
  const isAlone = built.model.instances.every(({ peers }) => peers.length === 0);
  const template = await readTemplate(daemon.at(settings.template));
  if (template.kind === 'unreadable') return { ...refusedFile(file, template.message), isAlone };
  const rendered = renderKeepalived(template.text, built.model, { templatePath: settings.template });
  if (rendered.kind === 'failed') return { ...refusedFile(file, rendered.message), isAlone };
  const check = createKeepalivedCheck({
    keepalivedPath: settings.keepalived,
    timeoutMs: CHECK_TIMEOUT_MS,
    run: runCommand,
  });
  return { ...(await propose(file, rendered.text, ask.servedSha256, check)), isAlone };
}

/** Everything that the model is made from, or why it is not known. */
async function inputNow(ask: FileQuestion<KeepalivedMonitorSettings>): Promise<VrrpInput | string> {
  const { daemon, settings, note } = ask;
  const kubeconfig = daemon.at(settings.kubeconfig);
  const clusterName =
    settings.clusterName ??
    clusterNameOf((await openKubeconfig(kubeconfig, () => undefined).load()).server.hostname);
  const { dialect, later } = await dialectNow(settings, daemon.at);
  if (later !== undefined) note(later);
  const [controlPlane, allNodes] = await Promise.all([
    nodesOf('api', settings.apiVips, ask),
    nodesOf('ingress', settings.ingressVips, ask),
  ]);
  if (typeof controlPlane === 'string') return controlPlane;
  if (typeof allNodes === 'string') return allNodes;
  return {
    settings: { ...keepalivedSettings(settings, clusterName), ...dialect },
    ...{ controlPlane, allNodes, interfaces: currentInterfaces(), routes: await currentRoutes() },
  };
}

/** The nodes that share the VIPs of one kind, or why they are not known. */
async function nodesOf(
  kind: VipKind,
  vips: readonly string[],
  { daemon, settings, timeoutMs, note }: FileQuestion<KeepalivedMonitorSettings>,
): Promise<VrrpInput['allNodes'] | string> {
  const lists: readonly ListNow[] = await Promise.all(
    vips.map(async (vip) => {
      const kubeconfig = daemon.at(settings.kubeconfig);
      const lookup = { ...nodeLookup(settings, kind, vip), kubeconfig };
      const family = parseAddress(vip)?.family ?? 'ipv4';
      const path = nodeListPath(settings.lastKnownPath, kind, family);
      return await listNow(lookup, daemon.at(path), timeoutMs);
    }),
  );
  const unknown = lists.find((list) => list.kind === 'unknown');
  if (unknown !== undefined) return unknown.reason;
  const known = lists.flatMap((list) => (list.kind === 'known' ? [list] : []));
  for (const { held } of known) if (held !== undefined) note(`the API's list of nodes is held back: ${held}`);
  return mergeNodes(known.map(({ servers }) => servers));
}
