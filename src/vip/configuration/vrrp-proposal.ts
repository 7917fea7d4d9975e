import type { ConfigurationCheck } from '../../engine/config/check.ts';
import type { RenderResult, Wanted } from '../../engine/monitor/proposal.ts';
import { createRenderer } from '../../engine/monitor/renderer.ts';
import type { ClusterNode } from '../../engine/system/network/cluster-node.ts';
import { currentInterfaces, currentRoutes } from '../../engine/system/network/routes.ts';
import { runCommand } from '../../engine/system/process/run-command.ts';
import { createKeepalivedCheck } from '../../keepalived/check-configuration.ts';
import type { VipKind } from '../../keepalived/vip-kind.ts';
import { buildKeepalivedModel, type KeepalivedModelOutcome } from '../group/keepalived-model.ts';
import { printableKeepalived } from '../group/printable-keepalived.ts';
import type { KeepalivedModel, KeepalivedSettings, VrrpInput } from '../group/vrrp.ts';
import type { KeepalivedMonitorObservers } from '../settings/keepalived-monitor-metrics.ts';
import type { KeepalivedMonitorSettings } from '../settings/keepalived-monitor-settings.ts';
import { mergeNodes, type NodeList } from './node-lists.ts';

/** A loaded machine takes seconds for what takes 40 ms at rest. */
const CHECK_TIMEOUT_MS = 20_000;

/** What keepalived itself says about a file. */
export function keepalivedCheck({
  keepalived: keepalivedPath,
}: Pick<KeepalivedMonitorSettings, 'keepalived'>): ConfigurationCheck {
  return createKeepalivedCheck({ keepalivedPath, timeoutMs: CHECK_TIMEOUT_MS, run: runCommand });
}

/** Everything that the model is made from; undefined while a list is unknown. */
export async function gatherInput(
  lists: readonly NodeList[],
  settings: KeepalivedSettings,
  signal: AbortSignal,
): Promise<Wanted<VrrpInput>> {
  const found = await Promise.all(lists.map(({ list }) => list.next(signal)));
  const looks = found.flatMap((wanted) => wanted.lookAgainInMs ?? []);
  const lookAgainInMs = looks.length === 0 ? undefined : Math.min(...looks);
  if (found.some(({ input }) => input === undefined)) return { input: undefined, lookAgainInMs };
  const input: VrrpInput = {
    settings,
    controlPlane: nodesIn(lists, 'api'),
    allNodes: nodesIn(lists, 'ingress'),
    interfaces: currentInterfaces(),
    routes: await currentRoutes(),
  };
  return { input, lookAgainInMs };
}

export function nodesIn(lists: readonly NodeList[], wanted: VipKind): readonly ClusterNode[] {
  return mergeNodes(lists.flatMap(({ kind, list }) => (kind === wanted ? [list.latest() ?? []] : [])));
}

/** Nodes of `served` that `next` would forget although an API server has listed them again. */
export function listedAgain(
  lists: readonly NodeList[],
  served: VrrpInput,
  next: VrrpInput,
): readonly string[] {
  return lists.flatMap(({ kind, list }) => {
    const heard = list.heard();
    if (heard?.kind !== 'servers') return [];
    const namesIn = ({ controlPlane, allNodes }: VrrpInput) =>
      new Set((kind === 'api' ? controlPlane : allNodes).map(({ name }) => name));
    const [before, after] = [namesIn(served), namesIn(next)];
    return heard.servers.flatMap(({ name }) => (before.has(name) && !after.has(name) ? name : []));
  });
}

/** The model of a node that takes part, and what the template makes of it; or why the node does not take part. */
type VrrpRendering =
  | Extract<KeepalivedModelOutcome, { kind: 'not-ready' }>
  | (RenderResult & { readonly model: KeepalivedModel });

export function createVrrpRenderer(
  template: string,
  observers: KeepalivedMonitorObservers,
): (input: VrrpInput) => Promise<VrrpRendering> {
  const render = createRenderer(template, printableKeepalived, observers);
  return async (input) => {
    const built = buildKeepalivedModel(input);
    return built.kind === 'not-ready' ? built : { ...(await render(built.model)), model: built.model };
  };
}
