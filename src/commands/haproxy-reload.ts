import { readCommandLine } from '../config/command-line.ts';
import { haproxyClientSettings, haproxyReloadCommand } from '../config/haproxy-client-settings.ts';
import { request } from '../protocol/request.ts';
import { answerOrComplaint } from './supervisor-answer.ts';

/** `hawser haproxy reload`: prints one line, and HAProxy's own words where it refused. */
export async function run(argv: readonly string[], env: NodeJS.ProcessEnv): Promise<number> {
  const line = readCommandLine(haproxyReloadCommand, argv, env);
  if (line.kind === 'help') {
    process.stdout.write(line.text);
    return 0;
  }
  const { socket, timeout } = haproxyClientSettings(line.values);
  const answer = answerOrComplaint(socket, await request(socket, 'reload', { timeoutMs: timeout }));
  if (answer === undefined) return 1;
  process.stdout.write(
    `generation ${answer.generation} serves, pid ${answer.pid}, after ${answer.tookMs} ms\n`,
  );
  return 0;
}
