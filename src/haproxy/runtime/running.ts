import type { ProcessId } from '../../engine/system/process/processes.ts';

/** A master process and its generation's number: what a program needs to speak to it. */
export interface Running {
  readonly generation: number;
  readonly master: ProcessId;
}
