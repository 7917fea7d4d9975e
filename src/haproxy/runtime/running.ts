import type { ProcessId } from '../../engine/system/process/processes.ts';

/** A master process and its generation's number: all that is needed to reach it. */
export interface Running {
  readonly generation: number;
  readonly master: ProcessId;
}
