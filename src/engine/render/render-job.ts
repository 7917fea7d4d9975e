import { type RenderOutcome, renderTemplate } from './render-template.ts';

/** A thread's input: the job, and the memory for the current line of the template. */
export interface ThreadTask {
  readonly job: RenderJob;
  readonly progress: Int32Array<SharedArrayBuffer>;
}

/** One rendering as plain data that can be sent to another thread. */
export interface RenderJob {
  readonly templateText: string;
  readonly templatePath: string;
  readonly model: object;
  readonly maxCharacters?: number;
}

export function render(job: RenderJob, onLine?: (line: number) => void): RenderOutcome {
  const { templateText, templatePath, model, maxCharacters } = job;
  const options = { templatePath, ...(maxCharacters !== undefined && { maxCharacters }) };
  return renderTemplate(templateText, model, { ...options, ...(onLine && { onLine }) });
}
