import type { CommandSpec } from '../../cli/command-spec.ts';
import type { CommandContext } from '../../cli/run-command.ts';
import type { Check } from '../../engine/examine/check.ts';
import type { NodeContext } from '../../engine/examine/context.ts';
import type { DoctorCommandSettings } from './doctor-settings.ts';
import type { Readings } from './readings.ts';

/** The operator's knowledge about this node, in addition to the products' flags; everything else is discovered. */
export interface DoctorSettings
  extends Omit<DoctorCommandSettings, 'settings' | 'root' | 'only' | 'timeout' | 'json'> {
  /** The addresses of the daemons' pages, as they run here or would. */
  readonly pages: readonly ProgramPage[];
  /** The daemons that started before the settings file was written, by their names. */
  readonly outdated: readonly string[];
  /** Those that run here of the daemons that hawser does not install. */
  readonly deployed: readonly DeployedDaemon[];
  /** The outcome of reading `/etc/hawser/config.yaml`, from which settings may come. */
  readonly settingsFile: CommandContext['settingsFile'];
}

/** A daemon with its settings. */
export interface DeployedDaemon {
  readonly spec: CommandSpec;
  readonly settings: unknown;
}

export interface ProgramPage {
  /** What is typed after `hawser`: `haproxy supervise`. */
  readonly program: string;
  readonly port: number;
  /** What sets it; undefined for `--listen`. */
  readonly flag?: '--listen' | '--metrics-listen';
}

/** All that a check of any product and of operate itself can see. */
export interface DoctorContext extends NodeContext {
  readonly settings: DoctorSettings;
  /** Readings that several checks share, each made once. */
  readonly readings: Readings;
}

export type DoctorCheck = Check<DoctorContext>;
