import { X509Certificate } from 'node:crypto';
import type { SettingsOf } from '../cli/command-spec.ts';
import { type CommandContext, printAs } from '../cli/run-command.ts';
import { printable } from '../engine/system/text/readable-text.ts';
import { readDecision } from '../router/decide/read-decision.ts';
import { defaultCertificate } from '../router/render/default-certificate.ts';
import { readGivenFiles } from '../router/render/given-files.ts';
import { explain, explanationLines } from '../router/report/explain.ts';
import { routerExplainCommand } from '../router/settings/objects-settings.ts';
import { withoutEffect } from '../router/settings/without-effect.ts';

export const spec = routerExplainCommand;

export async function run(settings: SettingsOf<typeof spec>, { env }: CommandContext): Promise<number> {
  const { place, scheme, objects, json } = settings;
  const { problems, ...decision } = await readDecision(objects, settings);
  for (const line of [...withoutEffect(env), ...problems]) process.stderr.write(`${printable(line)}\n`);
  const slash = place.indexOf('/');
  const [host, path] = slash < 0 ? [place, '/'] : [place.slice(0, slash), place.slice(slash)];
  await readGivenFiles(settings);
  const fallback = new X509Certificate(await defaultCertificate(settings, '', new Date()));
  const explanation = explain(decision, { scheme, host, path }, settings, fallback);
  await printAs(json, explanation, () => explanationLines(explanation));
  return explanation.answer === 'none' || explanation.certificate?.refused ? 1 : 0;
}
