import type { HaproxyMonitorSettings } from '../../api-lb/haproxy-monitor-settings.ts';
import { renderLoadBalancer } from '../../api-lb/render-load-balancer.ts';
import { readTemplate } from '../../engine/reconcile/template-file.ts';
import { runCommand } from '../../engine/system/process/run-command.ts';
import { createConfigurationCheck } from '../../haproxy/check-configuration.ts';
import type { Daemon } from './daemons.ts';
import { listNow } from './lists-now.ts';
import { type ProposedFile, propose, refusedFile, unknownFile } from './proposed-file.ts';
import { textOf } from './text-of.ts';

const CHECK_TIMEOUT_MS = 20_000;

export interface FileQuestion<Settings> {
  readonly daemon: Daemon;
  /** The settings of the monitor. */
  readonly settings: Settings;
  /** The path of the current file. */
  readonly livePath: string;
  /** The hash of the configuration that the program runs on, if it reports one. */
  readonly servedSha256: string | undefined;
  readonly timeoutMs: number;
  /** Adds a remark about the lists for the reader. */
  readonly note: (text: string) => void;
}

/** haproxy.cfg as the monitor would write it now. */
export async function proposeHaproxyFile(ask: FileQuestion<HaproxyMonitorSettings>): Promise<ProposedFile> {
  const { daemon, settings, livePath, timeoutMs, note } = ask;
  const { at } = daemon;
  const file = { program: 'haproxy', path: livePath, before: await textOf(at(livePath)) } as const;
  const lookup = { ...settings, kubeconfig: at(settings.kubeconfig) };
  const list = await listNow(lookup, at(settings.lastKnownPath), timeoutMs);
  if (list.kind === 'unknown' && file.before !== undefined) return unknownFile(file, list.reason);
  if (list.kind === 'known') {
    if (list.held !== undefined) note(`the API's list of servers is held back: ${list.held}`);
    else if (list.from === at(settings.lastKnownPath))
      note('no API server answers: the servers are those of the last list that was served');
  }
  const template = await readTemplate(at(settings.template));
  if (template.kind === 'unreadable') return refusedFile(file, template.message);
  const servers = list.kind === 'known' ? list.servers : [];
  const rendered = renderLoadBalancer(template.text, settings, servers, { templatePath: settings.template });
  if (rendered.kind === 'failed') return refusedFile(file, rendered.message);
  const check = createConfigurationCheck({
    haproxyPath: settings.haproxy,
    timeoutMs: CHECK_TIMEOUT_MS,
    run: runCommand,
  });
  return await propose(file, rendered.text, ask.servedSha256, check);
}
