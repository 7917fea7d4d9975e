import { rm } from 'node:fs/promises';
import type { Rendered } from '../apply/applier.ts';
import { isOwnFile, keepForeignFile } from '../apply/foreign-file.ts';
import { findLiveFile } from '../apply/live-file.ts';
import { readCommandLine } from '../config/command-line.ts';
import {
  type KeepalivedMonitorSettings,
  keepalivedMonitorSettings,
  keepalivedSettings,
} from '../config/keepalived-monitor-settings.ts';
import { renderKeepalivedCommand } from '../config/keepalived-render-settings.ts';
import { createKeepalivedCheck } from '../keepalived/check-configuration.ts';
import { clusterNameOf } from '../model/cluster-name.ts';
import { ConfigError } from '../model/errors.ts';
import type { VrrpInput } from '../model/vrrp.ts';
import { createLog, type Log } from '../observe/logger.ts';
import { buildKeepalivedModel } from '../render/keepalived-model.ts';
import { renderKeepalived } from '../render/render-keepalived.ts';
import { openKubeconfig } from '../sources/kubeconfig.ts';
import { writeFileAtomically } from '../system/atomic-write.ts';
import { currentInterfaces, currentRoutes } from '../system/routes.ts';
import { runCommand } from '../system/run-command.ts';
import { nodesOnce, onlyThisNode } from './keepalived/nodes-once.ts';
import { tellForeign } from './monitor/log-outcome.ts';
import { readTemplate } from './monitor/template-file.ts';

const CHECK_TIMEOUT_MS = 20_000;

/**
 * `hawser render keepalived`, for an init container. It asks no API server and does not wait. A flag or template that
 * only an operator can correct ends it with 2. What may resolve itself (a missing kubeconfig or interface, unknown
 * nodes) is left to the monitor. It writes CONFIG if the nodes are known and hawser has not rendered the file before.
 */
export async function run(argv: readonly string[], env: NodeJS.ProcessEnv): Promise<number> {
  const line = readCommandLine(renderKeepalivedCommand, argv, env);
  if (line.kind === 'help') {
    process.stdout.write(line.text);
    return 0;
  }
  const settings = keepalivedMonitorSettings(line.values);
  const { config } = settings;
  const log = createLog('render', settings.logLevel);
  const clusterName = settings.clusterName ?? (await nameFromKubeconfig(settings.kubeconfig, log));
  const nodes = await nodesOnce(settings);
  const known = clusterName === undefined ? undefined : nodes;
  const rendered = await render(settings, clusterName ?? 'unknown', known, log);
  if (rendered === undefined) return 0;
  await refuseBadConfiguration(settings, rendered, log);
  if (isOwnFile(config)) log({ event: 'configuration-kept', config });
  else if (known === undefined) log({ event: 'configuration-left-to-the-monitor', config });
  else {
    const foreign = await keepForeignFile(await findLiveFile(config));
    if (foreign !== undefined) tellForeign({ log })(foreign);
    await writeFileAtomically(config, rendered.text, { mode: rendered.mode & 0o777 });
    log({ event: 'configuration-rendered', config });
  }
  return 0;
}

/** Undefined if there is no kubeconfig yet: on a cluster's first node it is made after the pods. */
async function nameFromKubeconfig(path: string, log: Log): Promise<string | undefined> {
  const loaded = await openKubeconfig(path, log)
    .load()
    .catch(() => undefined);
  return loaded === undefined ? undefined : clusterNameOf(loaded.server.hostname);
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
  { config, keepalived: keepalivedPath }: KeepalivedMonitorSettings,
  { text }: Rendered,
  log: Log,
): Promise<void> {
  const candidate = `${config}.render`;
  const check = createKeepalivedCheck({ keepalivedPath, timeoutMs: CHECK_TIMEOUT_MS, run: runCommand });
  await writeFileAtomically(candidate, text, { mode: 0o600 });
  const outcome = await check(candidate).finally(() => rm(candidate, { force: true }));
  if (outcome.kind === 'invalid') throw new ConfigError([outcome.message, outcome.detail]);
  if (outcome.kind === 'impossible')
    log({ event: 'configuration-not-checked', level: 'warn', message: outcome.message });
}
