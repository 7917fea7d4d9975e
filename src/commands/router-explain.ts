import type { SettingsOf } from '../cli/command-spec.ts';
import { structuredWriter } from '../cli/structured-text.ts';
import { printable } from '../engine/system/text/readable-text.ts';
import { defaultPolicy } from '../router/admission/admission-policy.ts';
import { explain } from '../router/explain/explain.ts';
import { explainCommand } from '../router/explain/explain-settings.ts';
import { explanationLines } from '../router/explain/explanation-lines.ts';
import { readDecision } from '../router/explain/read-decision.ts';

export const spec = explainCommand;

export async function run(settings: SettingsOf<typeof spec>): Promise<number> {
  const { place, scheme, objects, ingressClass, allowWildcards, json } = settings;
  const policy = { ...defaultPolicy, allowWildcards, ...(ingressClass !== undefined && { ingressClass }) };
  const { problems, ...decision } = await readDecision(objects, policy);
  for (const problem of problems) process.stderr.write(`${printable(problem)}\n`);
  const slash = place.indexOf('/');
  const [host, path] = slash < 0 ? [place, '/'] : [place.slice(0, slash), place.slice(slash)];
  const explanation = explain(decision, { scheme, host, path });
  const text = json ? (await structuredWriter(json))(explanation) : explanationLines(explanation).join('\n');
  process.stdout.write(`${text}\n`);
  return explanation.answer === 'none' ? 1 : 0;
}
