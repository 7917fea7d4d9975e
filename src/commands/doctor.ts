import { existsSync } from 'node:fs';
import { doctorFlags as apiLbFlags } from '../api-lb/doctor/flags.ts';
import { defaultSettingsPath, type SettingsOf, type SettingsReader } from '../cli/command-spec.ts';
import { type CommandContext, hasColours, printAs } from '../cli/run-command.ts';
import { type HostFiles, hostFiles } from '../engine/examine/host-files.ts';
import { readAs } from '../operate/doctor/daemon-settings.ts';
import { doctorCommand } from '../operate/doctor/doctor-settings.ts';
import { reportLines } from '../operate/doctor/report-lines.ts';
import { exitCodeOf } from '../operate/exit-code.ts';
import { doctorFlags as vipFlags } from '../vip/doctor/context.ts';
import { checkIds } from './check-ids.ts';

// The checks and their products are loaded only when they run.
export const spec = doctorCommand(checkIds, { ...apiLbFlags, ...vipFlags });

type Settings = SettingsOf<typeof spec>;

export const settingsReader = (
  { root }: Readonly<Record<string, unknown>>,
  usual: SettingsReader,
): SettingsReader => settingsBelow(filesBelow(String(root)), usual);

export async function run(settings: Settings, context: CommandContext): Promise<number> {
  const [{ examine }, { checksOf }, { onWorkers }, { products }] = await Promise.all([
    import('../operate/doctor/examine.ts'),
    import('../operate/doctor/registry.ts'),
    import('../operate/doctor/product.ts'),
    import('./products.ts'),
  ]);
  const here = settings.worker ? onWorkers(products) : products;
  const report = await examine(settings, filesBelow(settings.root), context, here, checksOf(here));
  await printAs(settings.json, report, () => reportLines(report, { colours: hasColours(process.env) }));
  // Exits without waiting for a read from a dead disk or file server, which may never return.
  process.exit(exitCodeOf(report));
}

function filesBelow(root: string): HostFiles {
  return hostFiles(root.replace(/\/+$/, '') || '/');
}

/** Reads the node's settings file, or the default one if it exists. Messages have the path on the node. */
function settingsBelow(files: HostFiles, usual: SettingsReader): SettingsReader {
  return (asked) => {
    const path = asked ?? defaultSettingsPath;
    if (asked === undefined && !existsSync(files.at(path))) return undefined;
    return readAs(path, files.at(path), usual).file;
  };
}
