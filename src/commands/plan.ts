import { readCommandLine } from '../config/command-line.ts';
import { planCommand, planSettings } from '../config/plan-settings.ts';
import { structuredWriter } from '../config/structured-text.ts';
import { planLines } from '../observe/plan/plan-lines.ts';
import { exitCodeOf } from '../observe/plan/report.ts';
import { makePlan } from './plan/make-plan.ts';

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
