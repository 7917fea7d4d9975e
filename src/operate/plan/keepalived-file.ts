import { readTemplate } from '../../engine/reconcile/template-file.ts';
import { messageOf } from '../../engine/system/errors.ts';
import { runCommand } from '../../engine/system/process/run-command.ts';
import { createKeepalivedCheck } from '../../keepalived/check-configuration.ts';
import { buildKeepalivedModel } from '../../vip/group/keepalived-model.ts';
import { renderKeepalived } from '../../vip/group/render-keepalived.ts';
import type { KeepalivedMonitorSettings } from '../../vip/keepalived-monitor-settings.ts';
import type { FileQuestion } from './haproxy-file.ts';
import { keepalivedInputNow } from './keepalived-input.ts';
import { type ProposedFile, propose, refusedFile, unknownFile } from './proposed-file.ts';
import { textOf } from './text-of.ts';

const CHECK_TIMEOUT_MS = 20_000;

export interface ProposedKeepalivedFile extends ProposedFile {
  /** No other node would share the VIPs; undefined if unknown. */
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
  const input = await keepalivedInputNow({ ...ask, at: daemon.at }).catch(messageOf);
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
