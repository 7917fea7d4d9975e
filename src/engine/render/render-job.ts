import { type RenderOutcome, renderTemplate } from './render-template.ts';

/** What a thread is given: the job, and where it writes the line of the template that it has come to. */
export interface ThreadTask {
  readonly job: RenderJob;
  readonly progress: Int32Array<SharedArrayBuffer>;
}

/** One rendering as plain data, so that another thread can do it. */
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
