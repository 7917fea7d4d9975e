import { rm } from 'node:fs/promises';
import type { Rendered } from '../engine/apply/file-set.ts';
import { isOwnFile } from '../engine/apply/foreign-file.ts';
import { clusterNameIn } from '../engine/kube/control-plane/cluster-name.ts';
import { openKubeconfig } from '../engine/kube/kubeconfig.ts';
import { createLog } from '../engine/observe/logger.ts';
import { readTemplate } from '../engine/reconcile/template-file.ts';
import { writeFirst } from '../engine/reconcile/write-first.ts';
import { ConfigError } from '../engine/system/errors.ts';
import { writeFileAtomically } from '../engine/system/file/atomic-write.ts';
import type { Log } from '../engine/system/log.ts';
import { currentInterfaces, currentRoutes } from '../engine/system/network/routes.ts';
import { nodesOnce, onlyThisNode } from './configuration/nodes-once.ts';
import { keepalivedCheck } from './configuration/vrrp-proposal.ts';
import { buildKeepalivedModel } from './group/keepalived-model.ts';
import { renderKeepalived } from './group/render-keepalived.ts';
import type { VrrpInput } from './group/vrrp.ts';
import {
  type KeepalivedMonitorSettings,
  keepalivedSettings,
} from './settings/keepalived-monitor-settings.ts';

/**
 * For an init container: asks no API server and does not wait. Throws a ConfigError for a flag or template that only an
 * operator can correct. What may resolve itself (a missing kubeconfig or interface, unknown nodes) is left to the
 * monitor. It writes CONFIG if the nodes are known and hawser has not rendered the file before.
 */
export async function renderKeepalivedOnce(settings: KeepalivedMonitorSettings): Promise<void> {
  const { config, kubeconfig } = settings;
  const log = createLog('render', settings.logLevel);
  // On a cluster's first node the kubeconfig is made after the pods.
  const clusterName =
    settings.clusterName ?? (await clusterNameIn(openKubeconfig(kubeconfig, log)).catch(() => undefined));
  const nodes = await nodesOnce(settings);
  const known = clusterName === undefined ? undefined : nodes;
  const rendered = await render(settings, clusterName ?? 'unknown', known, log);
  if (rendered === undefined) return;
  await refuseBadConfiguration(settings, rendered, log);
  if (isOwnFile(config)) log({ event: 'configuration-kept', config });
  else if (known === undefined) log({ event: 'configuration-left-to-the-monitor', config });
  else await writeFirst(config, rendered, log);
}

/** For the known nodes, else for this one alone. Undefined if this node cannot take part yet. */
async function render(
  settings: KeepalivedMonitorSettings,
  clusterName: string,
  known: Pick<VrrpInput, 'controlPlane' | 'allNodes'> | undefined,
  log: Log,
): Promise<Rendered | undefined> {
  const { template: templatePath } = settings;
  const template = await readTemplate(templatePath);
  if (template.kind === 'unreadable') throw new ConfigError([template.message]);
  const interfaces = currentInterfaces();
  const built = buildKeepalivedModel({
    settings: keepalivedSettings(settings, clusterName),
    ...(known ?? onlyThisNode(settings, interfaces)),
    interfaces,
    routes: await currentRoutes(),
  });
  if (built.kind === 'not-ready') {
    log({ event: 'group-not-ready', level: 'warn', reason: built.reason });
    return undefined;
  }
  const outcome = renderKeepalived(template.text, built.model, { templatePath });
  if (outcome.kind === 'failed') throw new ConfigError([outcome.message]);
  return { text: outcome.text, mode: template.mode };
}

/** A keepalived that cannot be run says nothing about the configuration: its supervisor checks it again. */
async function refuseBadConfiguration(
  settings: KeepalivedMonitorSettings,
  { text }: Rendered,
  log: Log,
): Promise<void> {
  const candidate = `${settings.config}.render`;
  const check = keepalivedCheck(settings);
  await writeFileAtomically(candidate, text, { mode: 0o600 });
  const outcome = await check(candidate).finally(() => rm(candidate, { force: true }));
  if (outcome.kind === 'invalid') throw new ConfigError([outcome.message, outcome.detail]);
  if (outcome.kind === 'impossible')
    log({ event: 'configuration-not-checked', level: 'warn', message: outcome.message });
}
