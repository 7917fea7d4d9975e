import type { SettingsReader } from '../cli/command-spec.ts';
import { type CommandContext, hasColours, printText, structuredWriter } from '../cli/run-command.ts';
import { stopOnSignals } from '../engine/system/process/stop-signals.ts';
import { exitCodeOf } from '../operate/exit-code.ts';
import { collectClusterStatus } from '../operate/status/collect-cluster-status.ts';
import type { ClusterStatus } from '../operate/status/node-status.ts';
import { type StatusSettings, statusCommand } from '../operate/status/status-settings.ts';
import { statusLines } from '../operate/status/view/status-lines.ts';
import { watch } from '../operate/status/watch.ts';
import { statusProducts } from './status-products.ts';

export const spec = statusCommand(statusProducts);

/** A broken settings file must not prevent the status. */
export const settingsReader = (_: unknown, usual: SettingsReader): SettingsReader => usual;

export async function run(settings: StatusSettings, { env, settingsFile }: CommandContext): Promise<number> {
  if (settingsFile.kind === 'broken') process.stderr.write(`${settingsFile.problems.join('\n')}\n`);
  const colours = hasColours(env);
  const write = await structuredWriter(settings.json);
  const show = (status: ClusterStatus): readonly string[] =>
    settings.json ? [write(status)] : statusLines(status, statusProducts, { colours });
  if (settings.serve !== undefined) {
    const { serveStatus } = await import('../operate/page/serve-status.ts');
    const { serve, journal } = settings;
    const collect = (signal: AbortSignal) => collectClusterStatus(settings, statusProducts, signal);
    return await serveStatus(serve, journal, collect, statusProducts);
  }
  if (settings.watch) {
    await watchStatus(settings, show);
    return 0;
  }
  const status = await collectClusterStatus(settings, statusProducts, new AbortController().signal);
  await printText(show(status).join('\n'));
  return exitCodeOf(status);
}

async function watchStatus(
  settings: StatusSettings,
  show: (status: ClusterStatus) => readonly string[],
): Promise<void> {
  const readerGone = new AbortController();
  process.stdout.once('error', () => readerGone.abort());
  const signal = AbortSignal.any([stopOnSignals(() => undefined), readerGone.signal]);
  const collect = async () => show(await collectClusterStatus(settings, statusProducts, signal));
  await watch(collect, process.stdout, signal);
}
