import type { SettingsOf } from '../cli/command-spec.ts';
import { type CommandContext, printAs } from '../cli/run-command.ts';
import { printable } from '../engine/system/text/readable-text.ts';
import { readDecision } from '../router/decide/read-decision.ts';
import { checkSettings, settingsCheck } from '../router/render/check-settings.ts';
import { type RenderedRoute, renderObjects } from '../router/render/render-objects.ts';
import { routerRenderCommand } from '../router/settings/objects-settings.ts';
import { withoutEffect } from '../router/settings/without-effect.ts';

export const spec = routerRenderCommand;

export async function run(settings: SettingsOf<typeof spec>, { env }: CommandContext): Promise<number> {
  await checkSettings(settings, settingsCheck(settings.haproxy));
  const decision = await readDecision(settings.objects, settings);
  for (const line of [...withoutEffect(env), ...decision.problems])
    process.stderr.write(`${printable(line)}\n`);
  const outcome = await renderObjects(decision, settings, settings.out);
  if (outcome.kind === 'failed') {
    process.stderr.write(`${outcome.message}\n`);
    return 1;
  }
  const { routes } = outcome;
  const report = { out: settings.out, routes, problems: decision.problems };
  await printAs(settings.json, report, () => (routes.length === 0 ? ['no routes'] : routes.map(lineOf)));
  return 0;
}

function lineOf({ key, host, path, reason, message, remarks }: RenderedRoute): string {
  const fate = reason === undefined ? 'admitted' : `${reason}: ${message ?? ''}`;
  const more = remarks.map((remark) => `\n  ${printable(remark)}`).join('');
  return `${printable(key)}  ${printable(`${host}${path}`)}  ${printable(fate)}${more}`;
}
