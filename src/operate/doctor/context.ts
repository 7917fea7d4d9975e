import type { CommandSpec } from '../../cli/command-spec.ts';
import type { CommandContext } from '../../cli/run-command.ts';
import type { Check } from '../../engine/examine/check.ts';
import type { NodeContext } from '../../engine/examine/context.ts';
import type { DoctorCommandSettings } from './doctor-settings.ts';
import type { Readings } from './readings.ts';

/** The flags of `hawser doctor`, without the products' flags, and what was discovered about the daemons on this node. */
export interface DoctorSettings
  extends Omit<DoctorCommandSettings, 'settings' | 'root' | 'only' | 'timeout' | 'json'> {
  /** The addresses of the daemons' pages, as the daemons run here or as they would be started. */
  readonly pages: readonly ProgramPage[];
  /** The names of the daemons that started before the settings file was last written. */
  readonly outdated: readonly string[];
  /** The daemons that run here but are not installed by hawser. */
  readonly deployed: readonly DeployedDaemon[];
  /** The outcome of reading `/etc/hawser/config.yaml`, which can provide settings. */
  readonly settingsFile: CommandContext['settingsFile'];
}

/** A daemon with its settings. */
export interface DeployedDaemon {
  readonly spec: CommandSpec;
  readonly settings: unknown;
}

export interface ProgramPage {
  /** The arguments after `hawser`: `haproxy supervise`. */
  readonly program: string;
  readonly port: number;
  /** The flag that sets the address; `--listen` if absent. */
  readonly flag?: '--listen' | '--metrics-listen';
}

/** The input of every check. */
export interface DoctorContext extends NodeContext {
  readonly settings: DoctorSettings;
  /** Readings shared by several checks. Each is read once. */
  readonly readings: Readings;
}

export type DoctorCheck = Check<DoctorContext>;
