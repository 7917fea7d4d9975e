import type { SettingsReader } from '../cli/command-spec.ts';
import { type CommandContext, hasColours, printText, structuredWriter } from '../cli/run-command.ts';
import { stopOnSignals } from '../engine/system/process/stop-signals.ts';
import { clusterEndpoints, collectClusterStatus } from '../operate/status/collect-cluster-status.ts';
import type { ClusterStatus } from '../operate/status/node-status.ts';
import { type StatusSettings, statusCommand } from '../operate/status/status-settings.ts';
import { exitCodeOf, statusLines } from '../operate/status/view/status-lines.ts';
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
    return await serveStatus(serve, journal, (signal) => look(settings, signal), statusProducts);
  }
  if (settings.watch) {
    await watchStatus(settings, show);
    return 0;
  }
  const status = await look(settings, new AbortController().signal);
  await printText(show(status).join('\n'));
  return exitCodeOf(status);
}

async function look(settings: StatusSettings, signal: AbortSignal): Promise<ClusterStatus> {
  const places = clusterEndpoints(settings);
  return await collectClusterStatus(places, statusProducts, signal, settings.timeout);
}

async function watchStatus(
  settings: StatusSettings,
  show: (status: ClusterStatus) => readonly string[],
): Promise<void> {
  const readerGone = new AbortController();
  process.stdout.once('error', () => readerGone.abort());
  const signal = AbortSignal.any([stopOnSignals(() => undefined), readerGone.signal]);
  await watch(async () => show(await look(settings, signal)), process.stdout, signal);
}
