import { readCommandLine } from '../cli/command-line.ts';
import {
  haproxySuperviseCommand,
  haproxySuperviseSettings,
} from '../haproxy/supervise/haproxy-supervise-settings.ts';
import { superviseHaproxy } from '../haproxy/supervise/supervise-haproxy.ts';

export async function run(argv: readonly string[], env: NodeJS.ProcessEnv): Promise<number> {
  const line = readCommandLine(haproxySuperviseCommand, argv, env);
  if (line.kind === 'help') {
    process.stdout.write(line.text);
    return 0;
  }
  return await superviseHaproxy(haproxySuperviseSettings(line.values, env));
}
