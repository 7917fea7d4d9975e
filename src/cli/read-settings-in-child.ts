import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { ConfigError } from '../engine/system/errors.ts';
import { wholeProgram } from '../engine/system/process/program-path.ts';
import { defaultSettingsPath, type SettingsReader, settingsValues } from './command-spec.ts';

/** A booting machine is slow. */
const TIMEOUT_MS = 30_000;

/**
 * Reads the file with `hawser settings --json` in another process. In this process a YAML parser and the schemas of all daemons would occupy a
 * supervisor's memory for months (1.4 MB, docs/internals/decisions/0017). Without a file no process is started.
 */
export const readSettingsInChild: SettingsReader = (path) => {
  const settingsPath = path ?? defaultSettingsPath;
  if (path === undefined && !existsSync(settingsPath)) return undefined;
  const program = wholeProgram(process.argv[1] ?? '');
  const argv = [...process.execArgv, program, 'settings', '--json', '--settings', settingsPath];
  const child = spawnSync(process.execPath, argv, {
    encoding: 'utf8',
    timeout: TIMEOUT_MS,
    killSignal: 'SIGKILL',
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  if (child.error !== undefined) throw child.error;
  if (child.status === 2) throw new ConfigError(child.stderr.trim().split('\n'));
  if (child.status !== 0)
    throw new Error(
      `Cannot read settings file "${settingsPath}": exit code ${child.status ?? child.signal}, expected 0: ${child.stderr.trim()}`,
    );
  return { path: settingsPath, values: settingsValues.parse(JSON.parse(child.stdout)) };
};
