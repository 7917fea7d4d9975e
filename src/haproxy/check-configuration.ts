import type { CheckOutcome } from '../model/program.ts';
import { runLeanCommand } from '../system/run-lean-command.ts';
import { checkArgv } from './argv.ts';

/** A check of a large file takes well under a second; one that hangs must not hang the supervisor. */
const CHECK_TIMEOUT_MS = 30_000;
/** The last words are the ones that say why. */
const MAX_DETAIL_CHARS = 8_000;

/** Asks the real `haproxy -c`. `detail` carries HAProxy's own alerts and warnings. */
export async function checkConfiguration(haproxy: string, config: string): Promise<CheckOutcome> {
  const result = await runLeanCommand(checkArgv(haproxy, config), { timeoutMs: CHECK_TIMEOUT_MS });
  if (result.kind === 'ended' && result.exitCode === 0) return { kind: 'valid' };
  const spoken = result.kind === 'ended' ? `${result.stdout}${result.stderr}` : result.stderr;
  const how = result.kind === 'ended' ? `haproxy -c ended with exit code ${result.exitCode}` : result.message;
  return {
    kind: 'invalid',
    message: `Cannot use configuration "${config}": ${how}, expected exit code 0`,
    detail: withoutNotices(spoken).slice(-MAX_DETAIL_CHARS),
  };
}

/** HAProxy starts each report with its version and path, which say nothing about the file. */
function withoutNotices(spoken: string): string {
  return spoken
    .split('\n')
    .filter((line) => line.trim() !== '' && !line.startsWith('[NOTICE]'))
    .join('\n');
}
