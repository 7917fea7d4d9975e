import { readCommandLine } from '../cli/command-line.ts';
import { structuredWriter } from '../cli/structured-text.ts';
import { makePlan } from '../operate/plan/make-plan.ts';
import { planLines } from '../operate/plan/plan-lines.ts';
import { planCommand, planSettings } from '../operate/plan/plan-settings.ts';
import { exitCodeOf } from '../operate/plan/report.ts';

export async function run(argv: readonly string[], env: NodeJS.ProcessEnv): Promise<number> {
  const line = readCommandLine(planCommand, argv, env);
  if (line.kind === 'help') {
    process.stdout.write(line.text);
    return 0;
  }
  const settings = planSettings(line.values);
  const report = await makePlan(settings);
  const colours = process.stdout.isTTY && !env['NO_COLOR'];
  const text = settings.json
    ? (await structuredWriter(settings.json))(report)
    : planLines(report, { colours }).join('\n');
  process.stdout.write(`${text}\n`);
  return exitCodeOf(report);
}
